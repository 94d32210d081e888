package io.distributedlock.engine;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import io.distributedlock.LockUnavailableException;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.LockClock;

/**
 * The way to the store: every call is counted, so that a stop can wait until none is
 * under way, and is bounded even if the store does not keep its own time-out.
 */
final class StoreCalls {

	private final String backend;

	private final LockClock clock;

	private final AtomicInteger underWay = new AtomicInteger();

	private volatile @Nullable CompletableFuture<Void> drained;

	// Set by a stop before it looks at queues and leases. Whoever adds a lease or counts
	// an attempt reads it after that, so that one of the two sees the other.
	private volatile boolean stopped;

	StoreCalls(String backend, LockClock clock) {
		this.backend = backend;
		this.clock = clock;
	}

	void begin() {
		this.underWay.incrementAndGet();
	}

	void end() {
		if (this.underWay.decrementAndGet() == 0) {
			CompletableFuture<Void> waiting = this.drained;
			if (waiting != null) {
				waiting.complete(null);
			}
		}
	}

	/**
	 * Return a stage that completes when no call is under way. The future is published
	 * before the count is read, and {@link #end} counts before it reads the future: one
	 * of the two sees the other.
	 */
	CompletableFuture<Void> drained() {
		CompletableFuture<Void> waiting = new CompletableFuture<>();
		this.drained = waiting;
		if (this.underWay.get() == 0) {
			waiting.complete(null);
		}
		return waiting;
	}

	boolean isStopped() {
		return this.stopped;
	}

	/**
	 * Call the store, so that a stop waits for the answer and an exception is one of the
	 * stage.
	 */
	<T> CompletionStage<T> call(Supplier<CompletionStage<T>> operation) {
		begin();
		CompletionStage<T> stage;
		try {
			stage = operation.get();
		}
		catch (RuntimeException ex) {
			stage = CompletableFuture.failedStage(ex);
		}
		CompletableFuture<T> result = new CompletableFuture<>();
		stage.whenComplete((value, failure) -> {
			try {
				if (failure != null) {
					result.completeExceptionally(failure);
				}
				else {
					result.complete(value);
				}
			}
			finally {
				// After whatever hung on the result has begun the calls that follow from
				// it.
				end();
			}
		});
		return result;
	}

	/**
	 * Make an attempt, unless the engine has stopped: the store is closed then, or about
	 * to be once the calls that are counted have been answered.
	 */
	void attempt(Supplier<CompletionStage<AttemptOutcome>> attempt, Consumer<AttemptOutcome> onOutcome) {
		begin();
		CompletionStage<AttemptOutcome> answer = this.stopped
				? CompletableFuture.completedFuture(new AttemptOutcome.Unavailable(stopped(), false)) : attempt.get();
		answer.whenComplete((outcome, failure) -> {
			try {
				onOutcome.accept((failure != null) ? unavailable(failure) : outcome);
			}
			finally {
				end();
			}
		});
	}

	void setStopped(boolean stopped) {
		this.stopped = stopped;
	}

	LockUnavailableException stopped() {
		return new LockUnavailableException(
				"The locks of the backend '" + this.backend + "' were stopped, as at the shutdown of the application");
	}

	private static AttemptOutcome unavailable(Throwable failure) {
		return new AttemptOutcome.Unavailable(causeOf(failure), true);
	}

	static Throwable causeOf(Throwable failure) {
		boolean wrapped = failure instanceof CompletionException || failure instanceof ExecutionException;
		Throwable cause = failure.getCause();
		return (wrapped && cause != null) ? cause : failure;
	}

	/**
	 * Wait for an answer through interrupts, as long as a store may take and as much
	 * again for one that does not keep its time-out.
	 */
	<T> T within(Acquisition acquisition, CompletableFuture<T> answer, Supplier<T> unanswered) {
		boolean interrupted = false;
		try {
			long until = this.clock.nanoTime() + acquisition.callTimeout().multipliedBy(2).toNanos();
			while (true) {
				try {
					return answer.get(until - this.clock.nanoTime(), TimeUnit.NANOSECONDS);
				}
				catch (InterruptedException ex) {
					interrupted = true;
				}
			}
		}
		catch (TimeoutException ex) {
			return unanswered.get();
		}
		catch (ExecutionException ex) {
			throw new IllegalStateException(causeOf(ex));
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

}
