package io.distributedlock.backend.session;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;

import org.jspecify.annotations.Nullable;

import io.distributedlock.spi.BackendListener;
import io.distributedlock.spi.ClockReading;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.OwnerId;
import io.distributedlock.spi.SessionValidity;

/**
 * Keeps the entries in queues that belong to one session of this client at a store, and
 * the time for which the session is known to live. A session ends once.
 * <p>
 * An entry waits first and is then held. When the session ends, each held lease is
 * reported as lost and the contenders of all waiting entries are woken. This class is
 * public because each store is a package of its own.
 *
 * @param <E> the entries of the store
 * @since 0.1.0
 */
public final class ClientSession<E extends SessionEntry> {

	private final LockClock clock;

	private final BackendListener listener;

	private final BooleanSupplier alive;

	// Both by the ids at the store.
	private final Map<OwnerId, E> waiting = new ConcurrentHashMap<>();

	private final Map<OwnerId, E> held = new ConcurrentHashMap<>();

	private final AtomicBoolean ended = new AtomicBoolean();

	// Replaced under the monitor when a new validity follows one that has passed.
	private volatile ProvenValidity validity;

	// Replaced under the monitor by the acknowledged proof that was sent last.
	private volatile Proof proof;

	/**
	 * Create a session.
	 * @param clock the time
	 * @param listener is notified of losses
	 * @param alive whether the client of the store considers the session open
	 * @param sent when the request that opened it was sent
	 * @param validFor how long it is valid from then on
	 */
	public ClientSession(LockClock clock, BackendListener listener, BooleanSupplier alive, ClockReading sent,
			Duration validFor) {
		this.clock = clock;
		this.listener = listener;
		this.alive = alive;
		this.proof = new Proof(sent, validFor);
		this.validity = new ProvenValidity(clock, this::isAlive, this.proof.until());
	}

	/**
	 * Return whether the session has not ended, as far as this client knows.
	 * @return whether it lives
	 */
	public boolean isAlive() {
		return !isEnded() && this.alive.getAsBoolean();
	}

	/**
	 * Return the validity that limits leases granted now, in addition to their own TTL.
	 * @return the validity
	 */
	public SessionValidity validity() {
		return this.validity;
	}

	/**
	 * Return how long a lease that is granted now would be valid at most.
	 * @return the remaining time, or zero
	 */
	public Duration validFor() {
		return Duration.ofNanos(Math.max(0, this.validity.nanosLeft(this.clock.nanoTime())));
	}

	/**
	 * Return whether the validity is reliable. It is not if this machine stood still
	 * since the latest acknowledged proof was sent.
	 * @return whether no further proof is needed
	 */
	public boolean isProven() {
		Proof latest = this.proof;
		return !latest.sent.stoodStill(ClockReading.now(this.clock), latest.validFor);
	}

	/**
	 * Record that the store has acknowledged a proof that the session lives. It proves
	 * only that the session lived when the proof was <em>sent</em>.
	 * @param sent when the proof was sent
	 * @param validFor how long the session is valid from then on
	 * @return {@code false} if the validity had passed before; it is not revived
	 */
	public synchronized boolean acknowledged(ClockReading sent, Duration validFor) {
		if (sent.nanoTime() - this.proof.sent.nanoTime() < 0) {
			return this.validity.nanosLeft(this.clock.nanoTime()) > 0;
		}
		this.proof = new Proof(sent, validFor);
		return this.validity.moveTo(this.proof.until());
	}

	/**
	 * Begin a new validity for leases that are granted from now on, if the previous one
	 * has passed and the session still lives.
	 * @param sent when the proof that the store has acknowledged was sent
	 * @param validFor how long the session is valid from then on
	 */
	public synchronized void revalidate(ClockReading sent, Duration validFor) {
		long until = new Proof(sent, validFor).until();
		long now = this.clock.nanoTime();
		if (!isEnded() && until - now > 0 && this.validity.nanosLeft(now) <= 0) {
			this.validity = new ProvenValidity(this.clock, this::isAlive, until);
		}
	}

	/**
	 * Add an entry that waits. It is woken immediately if the session has ended.
	 * @param entry the entry
	 */
	public void await(E entry) {
		this.waiting.put(entry.id(), entry);
		if (isEnded() && this.waiting.remove(entry.id(), entry)) {
			entry.wakeUp();
		}
	}

	/**
	 * Hold the lock with an entry. The lease is reported as lost if the session has
	 * ended.
	 * @param entry the entry
	 */
	public void hold(E entry) {
		// In this order, so that the entry counts as used all the time.
		this.held.put(entry.id(), entry);
		this.waiting.remove(entry.id(), entry);
		if (isEnded()) {
			// The session may have ended before the entry was added.
			lose(entry.id());
		}
	}

	/**
	 * Remove an entry that does not wait any more, because it was granted the lock or is
	 * given up.
	 * @param entry the entry
	 */
	public void leave(E entry) {
		this.waiting.remove(entry.id(), entry);
	}

	/**
	 * Remove an entry that is not used any more, without a report.
	 * @param entry the entry
	 * @return {@code false} if it was not there
	 */
	public boolean remove(E entry) {
		return this.waiting.remove(entry.id(), entry) | this.held.remove(entry.id(), entry);
	}

	/**
	 * Report a lease as lost, if this session holds it.
	 * @param id the id of its entry at the store
	 */
	public void lose(OwnerId id) {
		E lost = this.held.remove(id);
		if (lost != null) {
			this.listener.leaseLost(lost.ownerId());
		}
	}

	/**
	 * Return an entry, whether it waits or is held.
	 * @param id its id at the store
	 * @return the entry, or {@code null} if there is none
	 */
	public @Nullable E find(OwnerId id) {
		// In the order in which an entry passes from one to the other.
		E found = this.waiting.get(id);
		return (found != null) ? found : this.held.get(id);
	}

	/**
	 * Return the entry with which a lock is held.
	 * @param id its id at the store
	 * @return the entry, or {@code null} if there is none
	 */
	public @Nullable E findHeld(OwnerId id) {
		return this.held.get(id);
	}

	/**
	 * Return the entries that wait.
	 * @return the entries
	 */
	public List<E> waiting() {
		return List.copyOf(this.waiting.values());
	}

	/**
	 * Return the entries with which locks are held.
	 * @return the entries
	 */
	public List<E> held() {
		return List.copyOf(this.held.values());
	}

	/**
	 * Return how many entries there are.
	 * @return their number
	 */
	public int size() {
		return this.waiting.size() + this.held.size();
	}

	/**
	 * Give up all leases without reporting them as lost. The session continues.
	 */
	public void endLeases() {
		this.held.clear();
		this.validity.end();
	}

	/**
	 * Return whether the session has ended.
	 * @return whether it has
	 */
	public boolean isEnded() {
		return this.ended.get();
	}

	/**
	 * End the session: no lease is valid from now on. Leases that are held are reported
	 * as lost, and contenders that wait are woken.
	 * @return {@code false} if it had ended before
	 */
	public boolean end() {
		this.validity.end();
		if (!this.ended.compareAndSet(false, true)) {
			return false;
		}
		// It may have been replaced meanwhile.
		this.validity.end();
		this.held.keySet().forEach(this::lose);
		this.waiting.values().forEach((entry) -> {
			if (this.waiting.remove(entry.id(), entry)) {
				entry.wakeUp();
			}
		});
		return true;
	}

	/**
	 * A proof that the session lived.
	 */
	private record Proof(ClockReading sent, Duration validFor) {

		long until() {
			return this.sent.nanoTime() + this.validFor.toNanos();
		}

	}

}
