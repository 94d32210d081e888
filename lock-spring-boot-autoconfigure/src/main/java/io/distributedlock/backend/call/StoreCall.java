package io.distributedlock.backend.call;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;

import org.jspecify.annotations.Nullable;

import io.distributedlock.LockUnavailableException;
import io.distributedlock.spi.LockClock;

/**
 * A call to a store. It is queued, sent, and ended by its answer, a fault or its timeout,
 * whichever comes first. A call that has ended is not sent any more. Public for the
 * stores only.
 *
 * @param <T> the answer
 * @since 0.1.0
 */
public final class StoreCall<T> {

	private enum State {

		/**
		 * Waits to be sent.
		 */
		QUEUED,

		SENT,

		/**
		 * Ended after it was sent.
		 */
		ENDED,

		/**
		 * Ended before it was sent.
		 */
		NEVER_SENT

	}

	private final String store;

	private final Duration timeout;

	private final CallDeadline deadline;

	// Every transition is atomic; the one that ends the call completes the result.
	private final AtomicReference<State> state = new AtomicReference<>(State.QUEUED);

	private final CompletableFuture<T> result = new CompletableFuture<>();

	// Set by the thread that begins or sends the call, read by the timer.
	private volatile @Nullable Runnable onTimeout;

	/**
	 * Create a call that waits to be sent. Its timeout takes effect only by
	 * {@link #startTimer()}.
	 * @param store the store, for messages that begin with it
	 * @param timeout how long the call may take from now on
	 * @param clock the clock
	 */
	public StoreCall(String store, Duration timeout, LockClock clock) {
		this.store = store;
		this.timeout = timeout;
		this.deadline = CallDeadline.in(timeout, clock);
	}

	/**
	 * Start a timer that ends the call at its deadline. The end of the call cancels it.
	 * @return this call
	 */
	public StoreCall<T> startTimer() {
		this.deadline.clock().scheduleUnlessDone(this.result, this.deadline.left(), this::expire);
		return this;
	}

	private void expire() {
		String within = " within " + this.timeout.toMillis() + " ms";
		if (withdraw(new NotSentException(this.store + " gave no connection" + within, null))
				|| fail(new NoAnswerException(this.store + " gave no answer" + within))) {
			Runnable task = this.onTimeout;
			if (task != null) {
				task.run();
			}
		}
	}

	/**
	 * Run a task after the timeout has ended the call. If the call has ended already, the
	 * task runs at once.
	 * @param task the task; does not block
	 * @return this call
	 */
	public StoreCall<T> onTimeout(Runnable task) {
		this.onTimeout = task;
		if (isEnded()) {
			task.run();
		}
		return this;
	}

	/**
	 * Return the deadline of the call.
	 * @return the deadline
	 */
	public CallDeadline deadline() {
		return this.deadline;
	}

	/**
	 * Return whether the call still waits to be sent.
	 * @return {@code false} once it was sent or has ended
	 */
	public boolean isQueued() {
		return this.state.get() == State.QUEUED;
	}

	/**
	 * Return whether the call has ended.
	 * @return whether sending it or completing it has no effect any more
	 */
	public boolean isEnded() {
		State current = this.state.get();
		return current == State.ENDED || current == State.NEVER_SENT;
	}

	/**
	 * Return whether the store may have received the call.
	 * @return whether it was sent; final once the call has ended
	 */
	public boolean wasSent() {
		State current = this.state.get();
		return current == State.SENT || current == State.ENDED;
	}

	/**
	 * Begin to send the call.
	 * @return {@code false} if it has ended or was sent already, so that the caller must
	 * not send it
	 */
	public boolean send() {
		return this.state.compareAndSet(State.QUEUED, State.SENT);
	}

	/**
	 * End the call unless it was sent.
	 * @param fault why
	 * @return whether that has ended it
	 */
	public boolean withdraw(Throwable fault) {
		return this.state.compareAndSet(State.QUEUED, State.NEVER_SENT) && this.result.completeExceptionally(fault);
	}

	/**
	 * End the call by its answer.
	 * @param answer the answer
	 * @return {@code false} if it had ended before, so that the answer is dropped
	 */
	public boolean complete(T answer) {
		return end() && this.result.complete(answer);
	}

	/**
	 * End the call without an answer.
	 * @param fault why
	 * @return {@code false} if it had ended before
	 */
	public boolean fail(Throwable fault) {
		return end() && this.result.completeExceptionally(fault);
	}

	private boolean end() {
		return this.state.compareAndSet(State.QUEUED, State.NEVER_SENT)
				|| this.state.compareAndSet(State.SENT, State.ENDED);
	}

	/**
	 * Return the result of the call.
	 * @return completed exceptionally with {@link NotSentException} or
	 * {@link NoAnswerException} by the timeout, and with the given
	 * {@link LockUnavailableException} or other fault otherwise
	 */
	public CompletableFuture<T> result() {
		return this.result;
	}

}
