package io.distributedlock.backend.jdbc;

import java.time.Duration;
import java.util.Comparator;

import io.distributedlock.backend.call.StoreCall;
import io.distributedlock.spi.LeaseGrant;

/**
 * A lease to release, and the call that asks for it.
 *
 * @param grant the lease as it was granted
 * @param cooldown how long the lock stays unavailable after that; zero for none
 * @param call is answered by whether the lease stood
 */
record LeaseRelease(LeaseGrant grant, Duration cooldown, StoreCall<Boolean> call) {

	static final Comparator<LeaseRelease> BY_KEY = Comparator.comparing((release) -> release.grant().target().key());

	/**
	 * How far back an expiry is put that is to be over: farther than any clock is set
	 * back. Whole seconds, since HSQLDB adds others wrongly if they are negative.
	 */
	static final Duration OVER = Duration.ofDays(-3650);

	/**
	 * Return when the lock may be had again.
	 * @return milliseconds from now on, negative for at once
	 */
	long ends() {
		return ends(this.cooldown);
	}

	/**
	 * Return when a lock may be had again that is released now.
	 * @param cooldown how long it stays unavailable; zero for none
	 * @return milliseconds from now on, negative for at once
	 */
	static long ends(Duration cooldown) {
		return (cooldown.isZero() ? OVER : cooldown).toMillis();
	}

}
