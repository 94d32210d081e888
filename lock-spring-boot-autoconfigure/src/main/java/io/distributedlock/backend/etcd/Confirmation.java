package io.distributedlock.backend.etcd;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.distributedlock.spi.LockClock;

/**
 * A sign of life that etcd has acknowledged. What it proves begins when it was
 * <em>sent</em>: only that is known to be before etcd began to count the ttl anew.
 *
 * @param nano the monotonic clock before it was sent
 * @param wall the wall clock before it was sent, in milliseconds
 * @param ttl the ttl that etcd counts from its arrival
 */
record Confirmation(long nano, long wall, Duration ttl) {

	static Confirmation sentNow(LockClock clock, Duration ttl) {
		return new Confirmation(clock.nanoTime(), clock.wallMillis(), ttl);
	}

	/**
	 * Return this confirmation with the ttl that the answer tells, within bounds.
	 */
	Confirmation of(long ttlSeconds) {
		long bounded = Math.max(0, Math.min(ttlSeconds, EtcdLockSettings.MAX_SESSION_TTL.toSeconds()));
		return new Confirmation(this.nano, this.wall, Duration.ofSeconds(bounded));
	}

	/**
	 * Return when the validity ends that it proves, by the monotonic clock: after half
	 * the ttl. Etcd keeps what is attached for the whole of it; but where a session is
	 * ended from outside, others wait for the other half.
	 */
	long deadline() {
		return LockClock.validUntil(this.nano, this.ttl.dividedBy(2));
	}

	/**
	 * Return whether the machine stood still since then, so that the monotonic clock did
	 * not count and more may be over than it tells.
	 */
	boolean isOutdated(LockClock clock) {
		long gain = TimeUnit.MILLISECONDS.toNanos(clock.wallMillis() - this.wall) - (clock.nanoTime() - this.nano);
		return gain > LockClock.driftAllowance(this.ttl.dividedBy(2)).toNanos();
	}

}
