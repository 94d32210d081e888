package io.distributedlock.engine;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;

import org.jspecify.annotations.Nullable;

import io.distributedlock.LockUnavailableException;
import io.distributedlock.spi.CircuitState;
import io.distributedlock.spi.LockClock;

/**
 * Lets acquisitions fail immediately while the store does not answer, instead of having
 * each caller wait for its timeout. While the circuit is open, one acquisition at a time
 * probes the store; any attempt that is answered closes the circuit.
 * <p>
 * The circuit opens if attempts have failed for a time, several in a row and none
 * answered in between. It gates new acquisitions only.
 * <p>
 * The state is immutable and replaced by compare and set. So exactly one thread makes
 * each transition, and that thread notifies the listener. Safe for use by several
 * threads; nothing blocks.
 */
final class StoreCircuit {

	private static final State HEALTHY = new Closed(0, 0);

	private final BackendLabel backend;

	private final CircuitSettings settings;

	private final LockClock clock;

	private final Listener listener;

	private final AtomicReference<State> state = new AtomicReference<>(HEALTHY);

	StoreCircuit(BackendLabel backend, CircuitSettings settings, LockClock clock, Listener listener) {
		this.backend = backend;
		this.settings = settings;
		this.clock = clock;
		this.listener = listener;
	}

	private State current() {
		return Objects.requireNonNull(this.state.get());
	}

	/**
	 * Refuse a new acquisition while the circuit is open and no probe is due.
	 * @return the exception for the caller, or {@code null} if the acquisition may go on
	 */
	@Nullable LockUnavailableException refusal() {
		State now = current();
		return (now == HEALTHY || isPassable(now)) ? null : exception(now);
	}

	private boolean isPassable(State state) {
		if (state instanceof Open open) {
			return this.clock.nanoTime() - open.probeAt() >= 0;
		}
		if (state instanceof Probing probing) {
			return this.clock.nanoTime() - probing.until() >= 0;
		}
		return true;
	}

	/**
	 * Ask for the permission to send an attempt. Its outcome is to be reported with the
	 * permit.
	 * @return the permit, or {@code null} if the attempt must not be sent
	 */
	@Nullable Permit permit() {
		while (true) {
			State now = current();
			if (now instanceof Closed) {
				return Permit.ORDINARY;
			}
			if (!isPassable(now)) {
				return null;
			}
			Permit probe = new Permit();
			Open open = (now instanceof Probing probing) ? probing.open() : (Open) now;
			long begin = this.clock.nanoTime();
			if (this.state.compareAndSet(now,
					new Probing(open, probe, begin, begin + this.settings.probeTimeout().toNanos()))) {
				return probe;
			}
		}
	}

	/**
	 * Report that the store has answered an attempt, whatever the answer. Any answer
	 * counts, even to an attempt that was sent before the circuit opened.
	 */
	void answered() {
		State before = current();
		if (before == HEALTHY) {
			return;
		}
		before = Objects.requireNonNull(this.state.getAndSet(HEALTHY));
		Open open = openPart(before);
		if (open != null) {
			this.listener.closed(Duration.ofNanos(this.clock.nanoTime() - open.openedAt()));
		}
	}

	/**
	 * Report that the store has not answered an attempt. Refusals, quarantines and
	 * invalid requests are answers.
	 */
	void failed(@Nullable Permit permit, Throwable cause) {
		while (true) {
			State before = current();
			State after = after(before, permit, cause);
			if (after == before) {
				return;
			}
			if (this.state.compareAndSet(before, after)) {
				if (before instanceof Closed && after instanceof Open) {
					this.listener.opened(cause);
				}
				return;
			}
		}
	}

	private State after(State before, @Nullable Permit permit, Throwable cause) {
		long now = this.clock.nanoTime();
		if (before instanceof Closed closed) {
			long since = (closed.failures() == 0) ? now : closed.failingSince();
			int failures = closed.failures() + 1;
			boolean opens = failures >= this.settings.failureThreshold()
					&& now - since >= this.settings.openAfter().toNanos();
			return opens ? new Open(cause, now, now + this.settings.probeInterval().toNanos())
					: new Closed(failures, since);
		}
		// Attempts from before the opening say nothing new. The interval counts from the
		// beginning of a probe, so that one without an answer does not delay the next.
		return (before instanceof Probing probing && probing.permit() == permit)
				? new Open(cause, probing.open().openedAt(), probing.begin() + this.settings.probeInterval().toNanos())
				: before;
	}

	/**
	 * Return the exception of a caller that is refused.
	 */
	LockUnavailableException exception() {
		return exception(current());
	}

	private LockUnavailableException exception(State state) {
		Open open = openPart(state);
		if (open == null) {
			return new LockUnavailableException(
					"The circuit of the backend " + this.backend.withAddress() + " was open until just now");
		}
		long now = this.clock.nanoTime();
		Duration openFor = Duration.ofNanos(now - open.openedAt());
		return new LockUnavailableException("The circuit of the backend " + this.backend.withAddress()
				+ " has been open for " + openFor.toSeconds() + " s, because the store does not answer: "
				+ open.cause().getMessage() + ". It is probed every " + this.settings.probeInterval().toMillis()
				+ " ms (lock.circuit.probe-interval)", open.cause());
	}

	private static @Nullable Open openPart(State state) {
		if (state instanceof Probing probing) {
			return probing.open();
		}
		return (state instanceof Open open) ? open : null;
	}

	CircuitState state() {
		State now = current();
		if (now instanceof Closed) {
			return CircuitState.CLOSED;
		}
		return (now instanceof Open) ? CircuitState.OPEN : CircuitState.HALF_OPEN;
	}

	/**
	 * Is notified of transitions, by the thread that makes them. Does not block.
	 */
	interface Listener {

		void opened(Throwable cause);

		void closed(Duration openFor);

	}

	/**
	 * Identifies an attempt. All attempts through a closed circuit share one.
	 */
	static final class Permit {

		private static final Permit ORDINARY = new Permit();

	}

	private sealed interface State {

	}

	/**
	 * Attempts pass.
	 *
	 * @param failures how many in a row have failed
	 * @param failingSince when the first of them failed
	 */
	private record Closed(int failures, long failingSince) implements State {
	}

	/**
	 * Attempts do not pass until the next probe.
	 *
	 * @param cause the latest failure
	 * @param openedAt when the circuit opened
	 * @param probeAt when the next attempt may probe the store
	 */
	private record Open(Throwable cause, long openedAt, long probeAt) implements State {
	}

	/**
	 * One attempt probes the store.
	 *
	 * @param open the state before
	 * @param permit identifies the probe
	 * @param begin when it was permitted
	 * @param until when another attempt may take its place, because no outcome was
	 * reported
	 */
	private record Probing(Open open, Permit permit, long begin, long until) implements State {
	}

}
