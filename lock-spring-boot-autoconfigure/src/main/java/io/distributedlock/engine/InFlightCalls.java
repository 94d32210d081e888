package io.distributedlock.engine;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.distributedlock.LockUnavailableException;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.BackendConnection;
import io.distributedlock.spi.BackendListener;
import io.distributedlock.spi.CompletionCauses;
import io.distributedlock.spi.LockBackend;
import io.distributedlock.spi.LockClock;

/**
 * Sends all calls to the store. Every call is counted, so that a stop can wait until none
 * is under way. Waits for answers are bounded even if the store does not observe its own
 * timeout.
 */
final class InFlightCalls {

	private static final Logger logger = LoggerFactory.getLogger(InFlightCalls.class);

	private final BackendLabel label;

	private final OutageLog outages;

	private final LockBackend backend;

	private final LockClock clock;

	private final AtomicInteger underWay = new AtomicInteger();

	private volatile @Nullable CompletableFuture<Void> drained;

	// Set by open and close, which the engine orders; read by every call.
	private volatile @Nullable BackendConnection connection;

	// Set by a stop before it goes through queues and leases. Code that adds a waiter or
	// a lease, or counts an attempt, reads this flag afterwards, so that one of the two
	// sees the other.
	private volatile boolean stopped;

	InFlightCalls(BackendLabel label, LockBackend backend, LockClock clock) {
		this.label = label;
		this.outages = new OutageLog(label, clock);
		this.backend = backend;
		this.clock = clock;
	}

	/**
	 * Connect to the store, and allow attempts.
	 */
	void open(BackendListener listener) {
		this.connection = this.backend.connect(listener);
		this.stopped = false;
	}

	void close() {
		BackendConnection open = this.connection;
		this.connection = null;
		if (open != null) {
			open.close();
		}
	}

	/**
	 * Return the connection to the store.
	 * @throws LockUnavailableException before it was opened and after it was closed
	 */
	BackendConnection connection() {
		BackendConnection open = this.connection;
		if (open == null) {
			throw stopped();
		}
		return open;
	}

	private void begin() {
		this.underWay.incrementAndGet();
	}

	private void end() {
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
	 * Call the store. A stop waits for the answer, and exceptions complete the stage.
	 */
	<T> CompletionStage<T> call(Function<BackendConnection, CompletionStage<T>> operation) {
		CompletableFuture<T> result = new CompletableFuture<>();
		send(() -> operation.apply(connection()), (value, failure) -> {
			if (failure == null && value == null) {
				result.completeExceptionally(new IllegalStateException("The backend answered null"));
			}
			else if (failure != null) {
				noteFailure(CompletionCauses.unwrap(failure));
				result.completeExceptionally(failure);
			}
			else {
				this.outages.answered();
				result.complete(value);
			}
		});
		return result;
	}

	/**
	 * Call the store. It may be implemented by the application or have a driver that
	 * fails in any way, so anything that it throws counts as its answer. Only the first
	 * answer is processed. The call counts as under way until all dependent actions have
	 * begun their own calls.
	 */
	private <T> void send(Supplier<CompletionStage<T>> operation,
			BiConsumer<@Nullable T, @Nullable Throwable> onAnswer) {
		begin();
		Answer<T> answer = new Answer<>(onAnswer);
		try {
			operation.get().whenComplete(answer);
		}
		catch (Throwable ex) {
			answer.accept(null, ex);
		}
	}

	/**
	 * Make an attempt, unless the engine has been stopped. The store is then closed, or
	 * will be closed as soon as the counted calls have been answered.
	 */
	void attempt(Supplier<CompletionStage<AttemptOutcome>> attempt, Consumer<AttemptOutcome> onOutcome) {
		// The attempt is counted before it reads the flag: either a stop sees the count,
		// or the attempt sees the stop.
		send(() -> this.stopped ? CompletableFuture.completedFuture(new AttemptOutcome.Unavailable(stopped(), false))
				: attempt.get(), (outcome, failure) -> {
					AttemptOutcome known = (outcome != null) ? outcome : unavailable(failure);
					note(known);
					onOutcome.accept(known);
				});
	}

	private void note(AttemptOutcome outcome) {
		if (outcome instanceof AttemptOutcome.Unavailable unavailable) {
			noteFailure(unavailable.cause());
		}
		else {
			this.outages.answered();
		}
	}

	private void noteFailure(Throwable cause) {
		if (StoreAnswers.isAnswer(cause)) {
			this.outages.answered();
		}
		else if (!this.stopped) {
			this.outages.failed(cause);
		}
	}

	/**
	 * Return whether it is logged that the store does not answer, so that the
	 * consequences for single leases need not be.
	 */
	boolean isOutageLogged() {
		return this.outages.isUnderWay();
	}

	/**
	 * Refuse further attempts.
	 */
	void stop() {
		this.stopped = true;
	}

	LockUnavailableException stopped() {
		return new LockUnavailableException("The locks of the backend '" + this.label.name()
				+ "' were stopped, for example by the shutdown of the application");
	}

	private static AttemptOutcome unavailable(@Nullable Throwable failure) {
		Throwable cause = (failure != null) ? CompletionCauses.unwrap(failure)
				: new IllegalStateException("The backend answered null");
		return new AttemptOutcome.Unavailable(cause, true);
	}

	/**
	 * Wait for an answer, but little longer than a store may take. Interrupts do not end
	 * the wait and leave the flag set.
	 */
	<T> T within(ResolvedRequest request, CompletableFuture<T> answer, Supplier<T> unanswered) {
		if (answer.isDone() && !answer.isCompletedExceptionally()) {
			return answer.join();
		}
		boolean interrupted = false;
		try {
			long until = this.clock.nanoTime() + request.overtime().toNanos();
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
			throw new IllegalStateException(CompletionCauses.unwrap(ex));
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	/**
	 * Processes the first answer to a call. The value is whether there was one.
	 */
	@SuppressWarnings("serial")
	private final class Answer<T> extends AtomicBoolean implements BiConsumer<@Nullable T, @Nullable Throwable> {

		private final BiConsumer<@Nullable T, @Nullable Throwable> process;

		Answer(BiConsumer<@Nullable T, @Nullable Throwable> process) {
			this.process = process;
		}

		@Override
		public void accept(@Nullable T value, @Nullable Throwable failure) {
			if (!compareAndSet(false, true)) {
				return;
			}
			try {
				this.process.accept(value, failure);
			}
			catch (Throwable ex) {
				logger.warn("An answer of the backend '{}' could not be processed", InFlightCalls.this.label.name(),
						ex);
			}
			finally {
				end();
			}
		}

	}

}
