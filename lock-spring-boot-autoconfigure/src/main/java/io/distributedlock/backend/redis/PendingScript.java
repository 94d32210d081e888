package io.distributedlock.backend.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;

import org.jspecify.annotations.Nullable;

/**
 * A call that waits for a connection, is sent, and ends: by its answer, by a fault or by
 * its time-out, whichever comes first. What has timed out is not sent any more.
 */
final class PendingScript {

	private enum State {

		QUEUED, SENT, ENDED

	}

	private final ScriptCall call;

	// Every transition is atomic; who makes the one to ENDED completes the result.
	private final AtomicReference<State> state = new AtomicReference<>(State.QUEUED);

	private final CompletableFuture<List<Object>> result = new CompletableFuture<>();

	// What to cancel at the time-out; set by the thread that sends, read by the timer.
	private volatile @Nullable Runnable recall;

	private final Duration timeout;

	private final long deadline;

	private final @Nullable String user;

	/**
	 * Create a call.
	 * @param call the script
	 * @param timeout how long it may take
	 * @param deadline when that is over, on the monotonic clock
	 * @param user who calls, for messages
	 */
	PendingScript(ScriptCall call, Duration timeout, long deadline, @Nullable String user) {
		this.call = call;
		this.timeout = timeout;
		this.deadline = deadline;
		this.user = user;
	}

	/**
	 * End the call if its time is over.
	 * @param now the monotonic time
	 */
	void endAt(long now) {
		if (this.deadline - now <= 0) {
			expire();
		}
	}

	private void expire() {
		boolean sent = this.state.get() == State.SENT;
		String message = "The Redis of the locks gave no " + (sent ? "answer" : "connection") + " within "
				+ this.timeout.toMillis() + " ms";
		if (!sent && this.state.compareAndSet(State.QUEUED, State.ENDED)) {
			this.result.completeExceptionally(new NotSentException(message, null));
			return;
		}
		if (fail(new NoAnswerException(message))) {
			Runnable current = this.recall;
			if (current != null) {
				current.run();
			}
		}
	}

	/**
	 * Return what is left of the time.
	 * @param now the monotonic time
	 * @return at least a millisecond
	 */
	Duration rest(long now) {
		return Duration.ofNanos(Math.max(1_000_000, this.deadline - now));
	}

	ScriptCall call() {
		return this.call;
	}

	/**
	 * Begin to send.
	 * @return {@code false} if it is too late, and nothing must be sent
	 */
	boolean send() {
		return this.state.compareAndSet(State.QUEUED, State.SENT);
	}

	/**
	 * Say how to take back what was sent but may not have left yet.
	 * @param recall takes it back
	 */
	void onTimeout(Runnable recall) {
		this.recall = recall;
		if (isOver()) {
			recall.run();
		}
	}

	boolean isOver() {
		return this.state.get() == State.ENDED;
	}

	void complete(List<Object> answer) {
		if (end()) {
			this.result.complete(answer);
		}
	}

	/**
	 * End the call without an answer.
	 * @param fault why
	 * @return {@code false} if it had ended before
	 */
	boolean fail(Throwable fault) {
		boolean first = end();
		if (first) {
			this.result.completeExceptionally(fault);
		}
		return first;
	}

	/**
	 * End the call by what the driver has thrown.
	 * @param fault what was thrown
	 */
	void failBy(Throwable fault) {
		fail(ScriptFaults.explain(fault, this.call, this.user));
	}

	private boolean end() {
		return this.state.getAndSet(State.ENDED) != State.ENDED;
	}

	CompletableFuture<List<Object>> result() {
		return this.result;
	}

}
