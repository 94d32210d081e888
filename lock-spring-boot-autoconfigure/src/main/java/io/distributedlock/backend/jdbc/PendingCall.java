package io.distributedlock.backend.jdbc;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;

import io.distributedlock.LockUnavailableException;
import io.distributedlock.spi.LockClock;

/**
 * A call that waits for a thread and a connection, is sent, and ends: by its answer, by a
 * fault or by its time-out, whichever comes first. After a time-out it is not sent any
 * more.
 *
 * @param <T> the answer
 */
final class PendingCall<T> {

	private static final Runnable NOTHING = () -> {
	};

	private enum State {

		QUEUED, SENT, ENDED

	}

	// Every transition is atomic; who makes the one to ENDED completes the result.
	private final AtomicReference<State> state = new AtomicReference<>(State.QUEUED);

	private final CompletableFuture<T> result = new CompletableFuture<>();

	// Written once, before the result is completed; read by whoever has seen the result.
	private boolean sent;

	/**
	 * End the call when its time is over.
	 * @param timeout the time from now on
	 * @param clock the clock
	 * @return this call
	 */
	PendingCall<T> within(Duration timeout, LockClock clock) {
		return within(timeout, clock, NOTHING);
	}

	/**
	 * End the call when its time is over.
	 * @param timeout the time from now on
	 * @param clock the clock
	 * @param onTimeout is run if that ends the call, and does not block
	 * @return this call
	 */
	PendingCall<T> within(Duration timeout, LockClock clock, Runnable onTimeout) {
		LockClock.Timeout timer = clock.schedule(timeout, () -> {
			onTimeout.run();
			expire(timeout);
		});
		this.result.whenComplete((answer, fault) -> timer.cancel());
		return this;
	}

	private void expire(Duration timeout) {
		fail(new LockUnavailableException("The database of the locks gave no " + (isQueued() ? "connection" : "answer")
				+ " within " + timeout.toMillis() + " ms"));
	}

	/**
	 * Return whether nothing has become of the call yet.
	 * @return whether it is worth while to look for a connection
	 */
	boolean isQueued() {
		return this.state.get() == State.QUEUED;
	}

	/**
	 * Begin to send.
	 * @return {@code false} if it is too late, and nothing must be sent
	 */
	boolean send() {
		return this.state.compareAndSet(State.QUEUED, State.SENT);
	}

	/**
	 * End the call unless it was sent.
	 * @param fault why
	 */
	void withdraw(Throwable fault) {
		if (this.state.compareAndSet(State.QUEUED, State.ENDED)) {
			this.result.completeExceptionally(fault);
		}
	}

	/**
	 * End the call.
	 * @param answer the answer
	 * @return {@code false} if it had ended before, and nobody will see the answer
	 */
	boolean complete(T answer) {
		boolean first = end();
		if (first) {
			this.result.complete(answer);
		}
		return first;
	}

	void fail(Throwable fault) {
		if (end()) {
			this.result.completeExceptionally(fault);
		}
	}

	private boolean end() {
		State before = this.state.getAndSet(State.ENDED);
		if (before == State.SENT) {
			this.sent = true;
		}
		return before != State.ENDED;
	}

	CompletableFuture<T> result() {
		return this.result;
	}

	/**
	 * Return whether anything may have been sent.
	 * @return whether it was sent; meaningful once the call has ended
	 */
	boolean wasSent() {
		return this.sent;
	}

}
