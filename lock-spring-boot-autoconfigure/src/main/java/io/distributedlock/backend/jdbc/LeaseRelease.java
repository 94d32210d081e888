package io.distributedlock.backend.jdbc;

import java.time.Duration;
import java.util.Comparator;

import io.distributedlock.backend.call.StoreCall;
import io.distributedlock.spi.LeaseGrant;

/**
 * A lease to release, and the call that requests it.
 *
 * @param grant the lease as it was granted
 * @param cooldown how long the lock stays unavailable after the release; zero for none
 * @param call completed with whether the lease stood
 */
record LeaseRelease(LeaseGrant grant, Duration cooldown, StoreCall<Boolean> call) {

	static final Comparator<LeaseRelease> BY_KEY = Comparator.comparing((release) -> release.grant().target().key());

	/**
	 * How far the expiry of a released lock is set back, which is farther than any clock
	 * is set back. Whole seconds, because HSQLDB adds negative fractions wrongly.
	 */
	static final Duration OVER = Duration.ofDays(-3650);

	/**
	 * Return when the lock becomes free.
	 * @return milliseconds from now, negative for immediately
	 */
	long ends() {
		return ends(this.cooldown);
	}

	/**
	 * Return when a lock that is released now becomes free.
	 * @param cooldown how long it stays unavailable; zero for none
	 * @return milliseconds from now, negative for immediately
	 */
	static long ends(Duration cooldown) {
		return (cooldown.isZero() ? OVER : cooldown).toMillis();
	}

}
