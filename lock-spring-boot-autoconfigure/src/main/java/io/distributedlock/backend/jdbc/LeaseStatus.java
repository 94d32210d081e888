package io.distributedlock.backend.jdbc;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;

import org.jspecify.annotations.Nullable;

import io.distributedlock.backend.notification.PollDelay;
import io.distributedlock.spi.BackendListener;
import io.distributedlock.spi.LeaseGrant;

/**
 * The state of a lease that a statement returned.
 *
 * @param stands whether it stands, or stood until it was released
 * @param pollAfter the time until a waiter polls again: zero if it is notified of the
 * release, {@code null} if no waiter is known
 */
record LeaseStatus(boolean stands, @Nullable Duration pollAfter) {

	static final LeaseStatus GONE = new LeaseStatus(false, null);

	static LeaseStatus of(boolean stands) {
		return stands ? new LeaseStatus(true, null) : GONE;
	}

	/**
	 * Read the row of a lease that stands. The time is limited to the longest delay of a
	 * waiter, because the clock may have been set since the mark.
	 */
	static LeaseStatus of(ResultSet row) throws SQLException {
		long pollAfter = row.getLong("wanted");
		return new LeaseStatus(true, row.wasNull() ? null
				: Duration.ofMillis(Math.max(0, Math.min(pollAfter, PollDelay.LONGEST_NOTIFIED.toMillis()))));
	}

	/**
	 * Return the state of a lease on several keys, all of which have to stand.
	 * @param other the state of another key
	 * @return the state of both
	 */
	LeaseStatus and(LeaseStatus other) {
		if (!this.stands || !other.stands) {
			return GONE;
		}
		boolean later = this.pollAfter != null
				&& (other.pollAfter == null || this.pollAfter.compareTo(other.pollAfter) >= 0);
		return later ? this : other;
	}

	/**
	 * Report to the listener that contenders wait.
	 */
	void report(LeaseGrant grant, BackendListener listener) {
		if (this.stands && this.pollAfter != null) {
			listener.contended(grant, this.pollAfter);
		}
	}

}
