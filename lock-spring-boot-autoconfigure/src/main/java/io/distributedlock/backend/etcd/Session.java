package io.distributedlock.backend.etcd;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;

import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.SessionValidity;

/**
 * A lease of etcd, to which all that this JVM owns there is attached. It is open until it
 * is lost, once and for good: when its validity has ended by this JVM's own clock, or
 * when etcd says that it is gone.
 */
final class Session implements SessionValidity {

	private final long leaseId;

	private final LockClock clock;

	private final AtomicBoolean lost = new AtomicBoolean();

	// Set once, before anybody else knows this session.
	private volatile long openedAt;

	// Replaced under the monitor, by the acknowledged one that was sent last.
	private volatile Confirmation confirmation;

	Session(long leaseId, Confirmation confirmation, LockClock clock) {
		this.leaseId = leaseId;
		this.confirmation = confirmation;
		this.clock = clock;
	}

	long leaseId() {
		return this.leaseId;
	}

	void opened(long revision) {
		this.openedAt = revision;
	}

	/**
	 * Return the revision at which the session's key was written.
	 */
	long openedAt() {
		return this.openedAt;
	}

	Duration ttl() {
		return this.confirmation.ttl();
	}

	/**
	 * Take note of an acknowledged sign of life. It counts only where the session was
	 * open when the acknowledgement came.
	 */
	synchronized void confirm(Confirmation later) {
		if (isOpen() && later.nano() - this.confirmation.nano() > 0) {
			this.confirmation = later;
		}
	}

	/**
	 * Return when this session is lost unless another sign of life is acknowledged
	 * before.
	 */
	long deadline() {
		return this.confirmation.deadline();
	}

	/**
	 * Return what is left of the validity of all that is attached to this session.
	 */
	@Override
	public long nanosLeft(long now) {
		return this.lost.get() ? 0 : deadline() - now;
	}

	boolean isOpen() {
		return nanosLeft(this.clock.nanoTime()) > 0;
	}

	boolean isLost() {
		return this.lost.get();
	}

	/**
	 * Return whether this machine stood still since the last sign of life, so that
	 * another one has to be acknowledged before anything may rely on this session.
	 */
	boolean isSuspect() {
		return this.confirmation.isOutdated(this.clock);
	}

	/**
	 * Lose this session.
	 * @return {@code false} where it had been lost before
	 */
	boolean lose() {
		return this.lost.compareAndSet(false, true);
	}

}
