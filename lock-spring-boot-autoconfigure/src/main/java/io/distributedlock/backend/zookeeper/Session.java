package io.distributedlock.backend.zookeeper;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

import org.apache.zookeeper.ZooKeeper;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.LossListener;
import io.distributedlock.spi.OwnerId;
import io.distributedlock.spi.SessionValidity;

/**
 * One session of ZooKeeper, from its first connection until it expired, was closed, or
 * this client no longer uses it: what it holds, who stands in line with it, and for how
 * long its leases are valid.
 */
final class Session {

	private static final Logger logger = LoggerFactory.getLogger(Session.class);

	private final ZooKeeper handle;

	private final long id;

	private final Requests requests;

	private final LockClock clock;

	private final LossListener losses;

	private final long timeout;

	private final Map<OwnerId, Place> held = new ConcurrentHashMap<>();

	private final Set<Runnable> wakeUps = ConcurrentHashMap.newKeySet();

	private final CompletableFuture<Void> end = new CompletableFuture<>();

	// Replaced under the monitor, when one that is over is followed by another.
	private volatile Validity validity;

	// Of the latest acknowledged heartbeat: when it was sent, on both clocks.
	private volatile Proof proof;

	Session(ZooKeeper handle, Requests requests, LockClock clock, LossListener losses) {
		this.handle = handle;
		this.id = handle.getSessionId();
		this.requests = requests;
		this.clock = clock;
		this.losses = losses;
		this.timeout = TimeUnit.MILLISECONDS.toNanos(handle.getSessionTimeout());
		this.validity = new Validity(clock, this::isAlive, clock.nanoTime());
		this.proof = new Proof(clock.nanoTime(), clock.wallMillis());
	}

	boolean isOf(ZooKeeper other) {
		return this.handle == other && this.id == other.getSessionId();
	}

	/**
	 * Return whether its client has neither learned of an end nor been closed.
	 */
	boolean isAlive() {
		return !isEnded() && this.handle.getState().isAlive();
	}

	/**
	 * Return whether its client is connected, as far as the client knows.
	 */
	boolean isConnected() {
		return !isEnded() && this.handle.getState().isConnected();
	}

	long id() {
		return this.id;
	}

	Requests requests() {
		return this.requests;
	}

	/**
	 * Return the session time-out that the server has agreed to, in nanoseconds.
	 */
	long timeout() {
		return this.timeout;
	}

	SessionValidity validity() {
		return this.validity;
	}

	/**
	 * Return whether a lease that is granted now would be valid for a while. Not on a
	 * machine whose monotonic clock stood still since the latest proof.
	 */
	boolean isValid() {
		long now = this.clock.nanoTime();
		Proof latest = this.proof;
		long gain = TimeUnit.MILLISECONDS.toNanos(this.clock.wallMillis() - latest.wall) - (now - latest.sentAt);
		return this.validity.nanosLeft(now) > this.timeout / 8 && gain < this.timeout / 8;
	}

	/**
	 * Take note that the ensemble has acknowledged a heartbeat. No other write may be
	 * used for this: clients that wait until the leases of a session are over know its
	 * heartbeats only.
	 * @param sent when that was sent
	 */
	void acknowledged(Proof sent) {
		if (sent.sentAt - this.proof.sentAt > 0) {
			this.proof = sent;
		}
		long until = sent.sentAt + this.timeout / 2;
		if (!this.validity.prolong(until)) {
			follow(until);
		}
	}

	private synchronized void follow(long until) {
		long now = this.clock.nanoTime();
		if (!isEnded() && until - now > 0 && this.validity.nanosLeft(now) <= 0) {
			this.validity = new Validity(this.clock, this::isAlive, until);
		}
	}

	/**
	 * Return now as the time at which a write is sent.
	 */
	Proof sending() {
		return new Proof(this.clock.nanoTime(), this.clock.wallMillis());
	}

	void hold(Place place) {
		this.held.put(place.ownerId(), place);
		if (isEnded()) {
			// The end may have looked before.
			lose(place.ownerId());
		}
	}

	@Nullable Place held(OwnerId ownerId) {
		return this.held.get(ownerId);
	}

	void forget(OwnerId ownerId) {
		this.held.remove(ownerId);
	}

	/**
	 * Add somebody who stands in line, to be woken when the session ends.
	 */
	void join(Runnable wakeUp) {
		this.wakeUps.add(wakeUp);
		if (isEnded() && this.wakeUps.remove(wakeUp)) {
			wakeUp.run();
		}
	}

	void leave(Runnable wakeUp) {
		this.wakeUps.remove(wakeUp);
	}

	Iterable<Place> held() {
		return this.held.values();
	}

	/**
	 * Return how many leases it has.
	 */
	int leases() {
		return this.held.size();
	}

	boolean isEnded() {
		return this.end.isDone();
	}

	/**
	 * Lose everything: the session has ended.
	 */
	void end() {
		this.validity.end();
		if (!this.end.complete(null)) {
			return;
		}
		this.validity.end();
		logger.debug("The session {} has ended, with {} leases", Long.toHexString(this.id), this.held.size());
		this.held.keySet().forEach(this::lose);
		this.wakeUps.removeIf((wakeUp) -> {
			wakeUp.run();
			return true;
		});
	}

	/**
	 * End the leases of this session, and go on with its requests.
	 */
	void endLeases() {
		this.held.clear();
		this.validity.end();
	}

	/**
	 * Use the session no more, which lives on where it is the application's.
	 */
	void close() {
		this.held.clear();
		end();
	}

	/**
	 * Tell the holder that a lease is lost, if this session holds it.
	 */
	void lose(OwnerId ownerId) {
		if (this.held.remove(ownerId) != null) {
			this.losses.lost(ownerId);
		}
	}

	@Override
	public String toString() {
		return "Session[" + Long.toHexString(this.id) + "]";
	}

	/**
	 * When a write was sent.
	 *
	 * @param sentAt the monotonic time
	 * @param wall the wall clock in milliseconds
	 */
	record Proof(long sentAt, long wall) {
	}

}
