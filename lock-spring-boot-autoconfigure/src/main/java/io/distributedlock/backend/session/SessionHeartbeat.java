package io.distributedlock.backend.session;

import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import io.distributedlock.spi.LockClock;

/**
 * Proves at intervals that a session lives, until it has ended or the heartbeat is
 * stopped. The next proof is sent in time even if the previous one fails or is not
 * answered.
 *
 * @param <T> the type of the store's answer
 * @since 0.1.0
 */
public final class SessionHeartbeat<T> {

	private final ClientSession<?> session;

	private final LockClock clock;

	private final Supplier<Duration> interval;

	private final Supplier<CompletionStage<T>> proof;

	// These are guarded by the monitor. The store is not called while it is held.
	private LockClock.@Nullable Timeout next;

	private long nextAt;

	private boolean stopped;

	/**
	 * Create a heartbeat.
	 * @param session the session
	 * @param clock the time
	 * @param interval the longest time between two proofs
	 * @param proof sends a proof; it notifies the session when the proof is acknowledged,
	 * and fails otherwise
	 */
	public SessionHeartbeat(ClientSession<?> session, LockClock clock, Supplier<Duration> interval,
			Supplier<CompletionStage<T>> proof) {
		this.session = session;
		this.clock = clock;
		this.interval = interval;
		this.proof = proof;
	}

	/**
	 * Send proofs from now on, the first one after an interval.
	 */
	public void start() {
		proveAfter(this.interval.get());
	}

	/**
	 * Send a proof now.
	 * @return completed when it was acknowledged
	 */
	public CompletionStage<T> prove() {
		proveAfter(this.interval.get());
		return this.proof.get();
	}

	/**
	 * Send the next proof after the given time at the latest.
	 * @param pause the longest time from now
	 */
	public void proveWithin(Duration pause) {
		boolean late;
		synchronized (this) {
			late = this.nextAt - this.clock.nanoTime() > pause.toNanos();
		}
		if (late) {
			proveAfter(pause);
		}
	}

	private synchronized void proveAfter(Duration pause) {
		if (this.next != null) {
			this.next.cancel();
		}
		this.nextAt = this.clock.nanoTime() + pause.toNanos();
		// A session that has ended must not be kept alive.
		this.next = isOver() ? null : this.clock.schedule(pause, this::proveUnlessOver);
	}

	private void proveUnlessOver() {
		if (!isOver()) {
			prove();
		}
	}

	private synchronized boolean isOver() {
		return this.stopped || this.session.isEnded();
	}

	/**
	 * Stop sending proofs.
	 */
	public synchronized void stop() {
		this.stopped = true;
		if (this.next != null) {
			this.next.cancel();
		}
	}

}
