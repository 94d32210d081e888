package io.distributedlock.backend.jdbc;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;

import org.jspecify.annotations.Nullable;

import io.distributedlock.spi.BackendListener;
import io.distributedlock.spi.LeaseGrant;

/**
 * What a statement told of a lease.
 *
 * @param stands whether it stands, or stood until it was released
 * @param wanted when somebody who waits asks again: zero where it hears of the release,
 * {@code null} where nobody is known to wait
 */
record Standing(boolean stands, @Nullable Duration wanted) {

	static final Standing GONE = new Standing(false, null);

	static Standing of(boolean stands) {
		return stands ? new Standing(true, null) : GONE;
	}

	/**
	 * Read the row of a lease that stands. No waiter asks later than after its longest
	 * pause, whatever a clock that was set has made of its mark.
	 */
	static Standing of(ResultSet row) throws SQLException {
		long wanted = row.getLong("wanted");
		return new Standing(true, row.wasNull() ? null
				: Duration.ofMillis(Math.max(0, Math.min(wanted, Backoff.LONGEST_SLEEP.toMillis()))));
	}

	/**
	 * Tell of those who wait.
	 */
	void tell(LeaseGrant grant, BackendListener news) {
		if (this.stands && this.wanted != null) {
			news.contended(grant, this.wanted);
		}
	}

}
