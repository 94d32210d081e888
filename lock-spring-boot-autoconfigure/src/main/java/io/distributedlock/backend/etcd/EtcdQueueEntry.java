package io.distributedlock.backend.etcd;

import java.time.Duration;
import java.util.List;

import io.etcd.jetcd.ByteSequence;
import org.jspecify.annotations.Nullable;

import io.distributedlock.LockMode;
import io.distributedlock.backend.session.SessionEntry;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.OwnerId;

/**
 * An entry of this JVM in a queue: a key that contains the owner id of the attempt that
 * put it there. It waits until it is the first, and is then held.
 * <p>
 * A request for several keys has a place in the queue for each. One transaction puts all
 * of them there, so they have the same create revision.
 */
final class EtcdQueueEntry implements SessionEntry {

	private final LockTarget target;

	private final List<EtcdPlace> places;

	private final OwnerId ownerId;

	private final EtcdSession session;

	private final int span;

	private final @Nullable String permits;

	private final Runnable wakeUp;

	// Set by the answer to the request that put it there; zero before.
	private volatile long revision;

	// These three are guarded by the monitor: the number of requests to put it there, the
	// number of unanswered ones among them, and whether no more are sent.
	private int sent;

	private int unanswered;

	private boolean givenUp;

	// Set by the grant, and by renewals under the monitor.
	private volatile long heldUntil;

	EtcdQueueEntry(List<EtcdPlace> places, LockTarget target, LeaseRequest request, EtcdSession session,
			Runnable wakeUp) {
		this.places = places;
		this.target = target;
		this.ownerId = request.ownerId();
		this.session = session;
		// A waiter does not know yet how many tokens it will need.
		boolean spare = request.waiting() && target.mode() != LockMode.PERMITS;
		this.span = spare ? TOKENS : Math.min(request.span(), TOKENS);
		this.permits = target.isGroup() ? String.valueOf(request.permits()) : null;
		this.wakeUp = wakeUp;
	}

	LockTarget target() {
		return this.target;
	}

	/**
	 * Return the places in the order of the keys.
	 */
	List<EtcdPlace> places() {
		return this.places;
	}

	List<ByteSequence> names() {
		return this.places.stream().map(EtcdPlace::name).toList();
	}

	/**
	 * Return the name of the first place, which identifies the entry.
	 */
	ByteSequence name() {
		return this.places.get(0).name();
	}

	EtcdPlace last() {
		return this.places.get(this.places.size() - 1);
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
	 * Return what is stored.
	 */
	EtcdEntryValue value() {
		return this.session.value(this.span, this.permits);
	}

	/**
	 * Give up the entry, since its session has ended, and let its contender put another
	 * one there.
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
	 * Record a request to put it there. The request counts as unanswered before it is
	 * sent, so that an entry that is given up in the meantime does not count as settled.
	 * @return {@code false} if the entry was given up, so the request must not be sent
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
	 * Record the answer to a request to put it there.
	 */
	synchronized void answered() {
		this.unanswered--;
	}

	/**
	 * Stop sending requests to put it there.
	 * @return whether all requests to put it there have been answered, so that requests
	 * that are sent from now on are executed after them
	 */
	synchronized boolean giveUp() {
		this.givenUp = true;
		return this.unanswered == 0;
	}

	/**
	 * Return whether no request to put it there was sent.
	 */
	synchronized boolean isUnasked() {
		return this.sent == 0;
	}

	/**
	 * Return whether a request may put it there after another one did. An entry that is
	 * known to be gone may then come back, even if all requests have been answered by
	 * now.
	 */
	synchronized boolean mayComeBack() {
		return this.sent > 1 || this.unanswered > 0;
	}

	/**
	 * Hold the lock for as long as the session lives, but no longer than requested.
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
	 * Return whether the requested lease time has run out, although the session keeps the
	 * entry.
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
