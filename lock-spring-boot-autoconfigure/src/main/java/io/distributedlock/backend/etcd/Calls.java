package io.distributedlock.backend.etcd;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import io.distributedlock.LockUnavailableException;
import io.distributedlock.spi.LockClock;

/**
 * Ends requests in time, and makes them again while there is time: where a fault may have
 * passed, and where an answer is so late that another member of the cluster may be asked.
 * Only for requests that can be repeated.
 */
final class Calls {

	private static final long FIRST_PAUSE = TimeUnit.MILLISECONDS.toNanos(50);

	private static final long LONGEST_PAUSE = TimeUnit.SECONDS.toNanos(1);

	private final LockClock clock;

	private final Duration timeout;

	private final EtcdRefusals refusals;

	// Whether the latest request was not answered; about right is enough.
	private volatile boolean silent;

	private volatile Runnable onRecovery = () -> {
	};

	/**
	 * Create what makes calls.
	 * @param clock the time
	 * @param timeout the bound of calls that bring none
	 * @param refusals tells what is refused for good
	 */
	Calls(LockClock clock, Duration timeout, EtcdRefusals refusals) {
		this.clock = clock;
		this.timeout = timeout;
		this.refusals = refusals;
	}

	long now() {
		return this.clock.nanoTime();
	}

	/**
	 * Return when a call ends that brings no bound and begins now.
	 */
	long defaultEnd() {
		return now() + this.timeout.toNanos();
	}

	/**
	 * Run an action each time when etcd answers again after it did not.
	 */
	void onRecovery(Runnable action) {
		this.onRecovery = action;
	}

	<T> CompletableFuture<T> call(Supplier<CompletionStage<T>> request) {
		return call(defaultEnd(), request);
	}

	/**
	 * Take note whether a request is answered that is made elsewhere.
	 * @return the same answer
	 */
	<T> CompletionStage<T> noting(CompletionStage<T> answer) {
		return answer
			.whenComplete((done, fault) -> note(fault == null || !EtcdFaults.isPassing(EtcdFaults.causeOf(fault))));
	}

	private void note(boolean answered) {
		if (!answered) {
			this.silent = true;
		}
		else if (this.silent) {
			this.silent = false;
			this.onRecovery.run();
		}
	}

	/**
	 * Make a request until it is answered.
	 * @param end when the call ends at the latest
	 */
	<T> CompletableFuture<T> call(long end, Supplier<CompletionStage<T>> request) {
		return new Call<>(end, request).begin();
	}

	private final class Call<T> {

		private final long end;

		private final Supplier<CompletionStage<T>> request;

		// A member that stands still answers nothing, and the next request goes to the
		// next member.
		private final Duration patience;

		private final CompletableFuture<T> result = new CompletableFuture<>();

		// Set by the answer to one request before the next is made.
		private volatile @Nullable Throwable lastFault;

		private volatile long pause = FIRST_PAUSE;

		Call(long end, Supplier<CompletionStage<T>> request) {
			this.end = end;
			this.request = request;
			this.patience = rest().dividedBy(3);
		}

		CompletableFuture<T> begin() {
			LockClock.Timeout timer = Calls.this.clock.schedule(rest(), this::timeOut);
			this.result.whenComplete((answer, fault) -> timer.cancel());
			send();
			return this.result;
		}

		private Duration rest() {
			return Duration.ofNanos(Math.max(0, this.end - now()));
		}

		private void timeOut() {
			Throwable fault = this.lastFault;
			note(false);
			this.result.completeExceptionally((fault != null) ? EtcdFaults.explain(fault)
					: new LockUnavailableException("The etcd of the locks has not answered in time"));
		}

		private void send() {
			if (this.result.isDone()) {
				return;
			}
			LockClock.Timeout impatience = Calls.this.clock.schedule(this.patience, this::send);
			CompletionStage<T> sent;
			try {
				sent = this.request.get();
			}
			catch (RuntimeException ex) {
				sent = CompletableFuture.failedStage(ex);
			}
			sent.whenComplete((answer, fault) -> {
				impatience.cancel();
				if (fault == null) {
					this.result.complete(answer);
					note(true);
				}
				else {
					onFault(Calls.this.refusals.classify(fault));
				}
			});
		}

		private void onFault(Throwable fault) {
			this.lastFault = fault;
			note(!EtcdFaults.isPassing(fault));
			if (EtcdFaults.isPassing(fault)) {
				Calls.this.clock.schedule(Duration.ofNanos(this.pause), this::send);
				this.pause = Math.min(2 * this.pause, LONGEST_PAUSE);
			}
			else {
				this.result.completeExceptionally(fault);
			}
		}

	}

}
