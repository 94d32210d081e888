package io.distributedlock.backend.etcd;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

import io.etcd.jetcd.kv.TxnResponse;
import org.jspecify.annotations.Nullable;

import io.distributedlock.LockUnavailableException;
import io.distributedlock.backend.call.RepeatedRequestException;
import io.distributedlock.spi.LockClock;

/**
 * Ends requests in time, and makes them again while there is time: where a fault may have
 * passed, and where an answer is so late that another member of the cluster may be asked.
 * Only for requests that can be repeated.
 */
final class EtcdRequests {

	private static final long FIRST_PAUSE = TimeUnit.MILLISECONDS.toNanos(50);

	private static final long LONGEST_PAUSE = TimeUnit.SECONDS.toNanos(1);

	private final EtcdLink link;

	private final LockClock clock;

	private final Duration timeout;

	private final EtcdRefusals refusals;

	// Whether the latest request was not answered; about right is enough.
	private volatile boolean silent;

	private volatile Runnable onRecovery = () -> {
	};

	/**
	 * Create what makes requests.
	 * @param link sends them
	 * @param clock the time
	 * @param timeout the bound of requests that bring none
	 * @param refusals tells what is refused for good
	 */
	EtcdRequests(EtcdLink link, LockClock clock, Duration timeout, EtcdRefusals refusals) {
		this.link = link;
		this.clock = clock;
		this.timeout = timeout;
		this.refusals = refusals;
	}

	EtcdLink link() {
		return this.link;
	}

	long now() {
		return this.clock.nanoTime();
	}

	/**
	 * Return when a request ends that brings no bound and begins now.
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

	CompletableFuture<TxnResponse> commit(EtcdTxn txn) {
		return commit(defaultEnd(), txn);
	}

	CompletableFuture<TxnResponse> commit(long end, EtcdTxn txn) {
		return call(end, () -> this.link.commit(txn));
	}

	/**
	 * Commit a transaction that fails where it has succeeded before, and count how often
	 * it is sent.
	 */
	CompletableFuture<CountedAnswer> commitCounted(long end, EtcdTxn txn) {
		AtomicInteger sends = new AtomicInteger();
		return call(end, () -> {
			sends.incrementAndGet();
			return this.link.commit(txn);
		}).thenApply((answer) -> new CountedAnswer(answer.isSucceeded(), sends.get()));
	}

	CompletableFuture<EtcdLink.LeaseAnswer> grant(long end, long ttlSeconds) {
		return call(end, () -> this.link.grant(ttlSeconds));
	}

	CompletableFuture<Void> revoke(long leaseId) {
		return call(defaultEnd(), () -> this.link.revoke(leaseId));
	}

	CompletableFuture<EtcdLink.LeaseState> state(long end, long leaseId, boolean keys) {
		return call(end, () -> this.link.state(leaseId, keys));
	}

	/**
	 * Keep a lease alive by one request.
	 */
	CompletionStage<EtcdLink.LeaseAnswer> keepAlive(long leaseId) {
		return this.link.keepAlive(leaseId).whenComplete((answer, fault) -> note(EtcdFaults.isAnswer(fault)));
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
			LockClock.Timeout timer = EtcdRequests.this.clock.schedule(rest(), this::timeOut);
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
			LockClock.Timeout impatience = EtcdRequests.this.clock.schedule(this.patience, this::send);
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
					onFault(EtcdRequests.this.refusals.classify(fault));
				}
			});
		}

		private void onFault(Throwable fault) {
			this.lastFault = fault;
			note(!EtcdFaults.isPassing(fault));
			if (EtcdFaults.isPassing(fault)) {
				EtcdRequests.this.clock.schedule(Duration.ofNanos(this.pause), this::send);
				this.pause = Math.min(2 * this.pause, LONGEST_PAUSE);
			}
			else {
				this.result.completeExceptionally(fault);
			}
		}

	}

	/**
	 * The answer to a transaction that releases a lock.
	 *
	 * @param succeeded whether the request that was answered has released it
	 * @param sends how often the transaction was sent until then
	 */
	record CountedAnswer(boolean succeeded, int sends) {

		/**
		 * Return whether the transaction has succeeded.
		 * @param key the key of the lock
		 * @throws RepeatedRequestException if an earlier request may have done what this
		 * one found done
		 */
		boolean hasSucceeded(String key) {
			if (!this.succeeded && this.sends > 1) {
				throw new RepeatedRequestException("the etcd of the locks", "released", key);
			}
			return this.succeeded;
		}

	}

}
