package io.distributedlock.backend.jdbc;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;

import org.jspecify.annotations.Nullable;

import io.distributedlock.backend.notification.PollDelay;
import io.distributedlock.spi.BackendListener;
import io.distributedlock.spi.LeaseGrant;

/**
 * What a statement told of a lease.
 *
 * @param stands whether it stands, or stood until it was released
 * @param pollAfter when somebody who waits asks again: zero where it hears of the
 * release, {@code null} where nobody is known to wait
 */
record LeaseStatus(boolean stands, @Nullable Duration pollAfter) {

	static final LeaseStatus GONE = new LeaseStatus(false, null);

	static LeaseStatus of(boolean stands) {
		return stands ? new LeaseStatus(true, null) : GONE;
	}

	/**
	 * Read the row of a lease that stands. No waiter asks later than after its longest
	 * pause, whatever a clock that was set has made of its mark.
	 */
	static LeaseStatus of(ResultSet row) throws SQLException {
		long pollAfter = row.getLong("wanted");
		return new LeaseStatus(true, row.wasNull() ? null
				: Duration.ofMillis(Math.max(0, Math.min(pollAfter, PollDelay.LONGEST_NOTIFIED.toMillis()))));
	}

	/**
	 * Tell of those who wait.
	 */
	void report(LeaseGrant grant, BackendListener listener) {
		if (this.stands && this.pollAfter != null) {
			listener.contended(grant, this.pollAfter);
		}
	}

}
