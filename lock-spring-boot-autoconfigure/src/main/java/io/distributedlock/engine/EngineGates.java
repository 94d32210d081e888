package io.distributedlock.engine;

import java.time.Duration;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.distributedlock.LockRequest;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.LockObserver;

/**
 * What each new acquisition passes: the limits of this instance, the circuit to the
 * store, and the observer. Remembers by which attempts the store has answered.
 */
final class EngineGates {

	private final String store;

	private final LockObserver observer;

	private final LockLimits limits;

	private final StoreCircuit circuit;

	private final StoreListeners listeners;

	private final AttemptHistory history;

	EngineGates(BackendLabel backend, EngineInstruments instruments, LockClock clock, EngineThreads threads) {
		this.store = backend.name();
		this.observer = GuardedObserver.of(instruments.observer());
		this.limits = instruments.limits();
		this.listeners = new StoreListeners(instruments.listeners(), threads);
		this.circuit = new StoreCircuit(backend, instruments.circuit(), clock, new CircuitEvents());
		this.history = new AttemptHistory(clock);
	}

	StoreCircuit circuit() {
		return this.circuit;
	}

	AttemptHistory history() {
		return this.history;
	}

	/**
	 * Run a task after the circuit has opened, and the listeners have been notified.
	 */
	void onOpen(Runnable task) {
		this.listeners.onOpen(task);
	}

	LockObserver.Acquisition observe(LockRequest request) {
		return this.observer.begin(this.store, request);
	}

	/**
	 * Refuse a request with too many keys.
	 */
	void checkKeys(LockRequest request) {
		this.limits.checkKeys(request);
	}

	/**
	 * Admit a call as a waiter.
	 * @return the place of the waiter, or {@code null} if there are no limits
	 */
	LockLimits.@Nullable Slot admit(LockRequest request) {
		return this.limits.isLimited() ? this.limits.admit(request, this::refused) : null;
	}

	/**
	 * Count a lease that is about to be delivered.
	 * @return the place of the lease, or {@code null} if there are no limits
	 */
	LockLimits.@Nullable Slot hold(LockRequest request) {
		return this.limits.isLimited() ? this.limits.hold(request, this::refused) : null;
	}

	private void refused(LockRequest request, String limit) {
		this.listeners.limitReached(this.store, request, limit);
	}

	/**
	 * Notify the listeners that the store grants no leases for a while.
	 */
	void quarantineBegun(Duration remaining) {
		this.listeners.quarantineBegun(this.store, remaining);
	}

	void quarantineEnded() {
		this.listeners.quarantineEnded(this.store);
	}

	/**
	 * Process the outcome of an attempt.
	 */
	void attempted(AcquireAttempt attempt, AttemptOutcome outcome) {
		if (outcome instanceof AttemptOutcome.Unavailable unavailable) {
			if (StoreAnswers.isAnswer(unavailable.cause())) {
				this.circuit.answered();
			}
			else {
				this.circuit.failed(attempt.permit(), unavailable.cause());
			}
			this.history.failed();
			return;
		}
		this.circuit.answered();
		if (outcome instanceof AttemptOutcome.Granted) {
			this.history.granted(attempt.sentAt().nanoTime());
		}
	}

	/**
	 * Process the lack of an outcome.
	 */
	void unanswered(AcquireAttempt attempt, Throwable cause) {
		this.circuit.failed(attempt.permit(), cause);
		this.history.failed();
	}

	/**
	 * Logs what the circuit does, and notifies the listeners.
	 */
	private final class CircuitEvents implements StoreCircuit.Listener {

		private static final Logger logger = LoggerFactory.getLogger(StoreCircuit.class);

		@Override
		public void opened(Throwable cause) {
			logger.warn("The circuit of the backend '{}' opens: acquisitions fail immediately until the store answers"
					+ " again (lock.circuit)", EngineGates.this.store);
			EngineGates.this.listeners.circuitOpened(EngineGates.this.store, cause);
		}

		@Override
		public void closed(Duration openFor) {
			logger.info("The circuit of the backend '{}' closes after {} s: the store answers again",
					EngineGates.this.store, openFor.toSeconds());
			EngineGates.this.listeners.circuitClosed(EngineGates.this.store, openFor);
		}

	}

}
