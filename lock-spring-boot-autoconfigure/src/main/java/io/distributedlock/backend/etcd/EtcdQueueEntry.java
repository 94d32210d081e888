package io.distributedlock.backend.etcd;

import java.time.Duration;

import io.etcd.jetcd.ByteSequence;

import io.distributedlock.backend.session.SessionEntry;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.OwnerId;

/**
 * An entry in the queue of this JVM: a key that carries the owner id of the attempt that
 * put it there. Waits until it is first, and is held then.
 */
final class EtcdQueueEntry implements SessionEntry {

	private final LockTarget target;

	private final ByteSequence name;

	private final OwnerId ownerId;

	private final EtcdSession session;

	private final int span;

	private final Runnable wakeUp;

	// Set by the answer to the request that put it there; zero before.
	private volatile long revision;

	// These three are guarded by the monitor: how many requests to put it there have been
	// made, how many of them were not answered, and whether no more are made.
	private int sent;

	private int unanswered;

	private boolean givenUp;

	// Set by the grant, and by renewals under the monitor.
	private volatile long heldUntil;

	EtcdQueueEntry(ByteSequence name, LockTarget target, LeaseRequest request, EtcdSession session, Runnable wakeUp) {
		this.name = name;
		this.target = target;
		this.ownerId = request.ownerId();
		this.session = session;
		// Who waits does not know yet how many tokens will be of use.
		this.span = request.waiting() ? TOKENS : Math.min(request.span(), TOKENS);
		this.wakeUp = wakeUp;
	}

	LockTarget target() {
		return this.target;
	}

	ByteSequence name() {
		return this.name;
	}

	@Override
	public OwnerId ownerId() {
		return this.ownerId;
	}

	EtcdSession session() {
		return this.session;
	}

	int span() {
		return this.span;
	}

	/**
	 * Give it up, since its session has ended, and let its contender look for another.
	 */
	@Override
	public void wakeUp() {
		giveUp();
		this.wakeUp.run();
	}

	long revision() {
		return this.revision;
	}

	void stands(long revision) {
		this.revision = revision;
	}

	/**
	 * Take note that etcd is asked to put it there. The request counts as unanswered
	 * before it is sent: an entry that is given up meanwhile must not be taken for
	 * settled.
	 * @return {@code false} if it was given up, so that etcd must not be asked
	 */
	synchronized boolean ask() {
		if (this.givenUp) {
			return false;
		}
		this.sent++;
		this.unanswered++;
		return true;
	}

	/**
	 * Take note that a request to put it there was answered.
	 */
	synchronized void answered() {
		this.unanswered--;
	}

	/**
	 * Ask no more to put it there.
	 * @return whether all requests to put it there have been answered, so that none of
	 * them is executed after what is sent from now on
	 */
	synchronized boolean giveUp() {
		this.givenUp = true;
		return this.unanswered == 0;
	}

	/**
	 * Return whether etcd has not been asked to put it there.
	 */
	synchronized boolean isUnasked() {
		return this.sent == 0;
	}

	/**
	 * Return whether a request may put it there after another one did: what is known to
	 * be gone may come back then, even if all requests have been answered by now.
	 */
	synchronized boolean mayComeBack() {
		return this.sent > 1 || this.unanswered > 0;
	}

	/**
	 * Hold the lock for as long as the session lives, but no longer than asked for.
	 */
	void hold(long sentAt, Duration ttl) {
		this.heldUntil = LockClock.validUntil(sentAt, ttl);
		this.session.entries().hold(this);
	}

	synchronized void lengthen(long sentAt, Duration ttl) {
		long until = LockClock.validUntil(sentAt, ttl);
		if (until - this.heldUntil > 0) {
			this.heldUntil = until;
		}
	}

	/**
	 * Return whether the lease that was asked for has run out, although the session keeps
	 * the entry.
	 */
	boolean isRunOut(long now) {
		return this.heldUntil - now <= 0;
	}

	@Override
	public long firstToken() {
		return SessionEntry.firstToken(this.revision);
	}

	static long revisionOf(long token) {
		return Math.floorDiv(token, (long) TOKENS);
	}

}
