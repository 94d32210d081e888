package io.distributedlock.backend.etcd;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.LongConsumer;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.kv.TxnResponse;
import org.jspecify.annotations.Nullable;

import io.distributedlock.LockUnavailableException;
import io.distributedlock.backend.call.RepeatedRequestException;
import io.distributedlock.spi.CompletionCauses;
import io.distributedlock.spi.LockClock;

/**
 * Sends requests with a time limit, and repeats them until then. A request is repeated
 * after a fault that may have passed, and when an answer is so late that another member
 * may be asked. Only for requests that can be repeated.
 *
 * @param links sends them
 * @param clock the time
 * @param timeout the bound of requests that have none
 * @param refusals detects permanent refusals
 */
record EtcdRequests(EtcdLinks links, LockClock clock, Duration timeout, EtcdRefusals refusals) {

	private static final long FIRST_PAUSE = TimeUnit.MILLISECONDS.toNanos(50);

	private static final long LONGEST_PAUSE = TimeUnit.SECONDS.toNanos(1);

	/**
	 * Long enough for a second try of the driver.
	 */
	private static final Duration SHORTEST_WATCH_CHECK = Duration.ofSeconds(1);

	long now() {
		return this.clock.nanoTime();
	}

	/**
	 * Return when a request that has no bound and begins now ends.
	 */
	long defaultEnd() {
		return now() + this.timeout.toNanos();
	}

	CompletableFuture<TxnResponse> commit(EtcdTxn txn) {
		return commit(defaultEnd(), txn);
	}

	CompletableFuture<TxnResponse> commit(long end, EtcdTxn txn) {
		return call(end, (link) -> link.commit(txn));
	}

	/**
	 * Commit a transaction that fails if it has succeeded before, and count how often it
	 * is sent.
	 */
	CompletableFuture<CountedAnswer> commitCounted(long end, EtcdTxn txn) {
		AtomicInteger sends = new AtomicInteger();
		return call(end, (link) -> {
			sends.incrementAndGet();
			return link.commit(txn);
		}).thenApply((answer) -> new CountedAnswer(answer.isSucceeded(), sends.get()));
	}

	CompletableFuture<EtcdLink.LeaseAnswer> grant(long end, long ttlSeconds) {
		return call(end, (link) -> link.grant(ttlSeconds));
	}

	/**
	 * End a lease, unless it has ended already.
	 */
	CompletableFuture<Void> revoke(long leaseId) {
		return call(defaultEnd(), (link) -> link.revoke(leaseId)).exceptionallyCompose((fault) -> {
			Throwable cause = CompletionCauses.unwrap(fault);
			return EtcdFaults.isLeaseGone(cause) ? CompletableFuture.completedFuture(null)
					: CompletableFuture.failedFuture(cause);
		});
	}

	CompletableFuture<EtcdLink.LeaseState> state(long end, long leaseId, boolean keys) {
		return call(end, (link) -> link.state(leaseId, keys));
	}

	/**
	 * Keep a lease alive by one request.
	 */
	CompletionStage<EtcdLink.LeaseAnswer> keepAlive(long leaseId) {
		return this.links.ask()
			.keepAlive(leaseId)
			.whenComplete((answer, fault) -> this.links.note(EtcdFaults.isAnswer(fault)));
	}

	/**
	 * Watch a key, see {@link EtcdLink#watch}.
	 */
	EtcdLink.OpenWatch watch(ByteSequence key, long from, LongConsumer deleted, Runnable ended) {
		return this.links.current().watch(key, from, deleted, ended);
	}

	/**
	 * Check whether etcd permits this JVM to watch a key. A watch is begun, and ended
	 * when etcd has acknowledged it.
	 * @return completed with {@code true} on the acknowledgement, and exceptionally if
	 * etcd refuses the watch or does not answer
	 */
	CompletionStage<Boolean> checkWatch(ByteSequence key) {
		CompletableFuture<Boolean> acknowledged = new CompletableFuture<>();
		AtomicBoolean refusedBefore = new AtomicBoolean();
		EtcdLink.OpenWatch watch = this.links.current().checkWatch(key, () -> acknowledged.complete(true), (fault) -> {
			Throwable cause = this.refusals.classify(fault);
			// Etcd refuses a watch with an old token as if a permission were missing. The
			// driver then logs in again and repeats the watch by itself.
			if (!EtcdFaults.isRefused(cause) || refusedBefore.getAndSet(true)) {
				acknowledged.completeExceptionally(EtcdFaults.explain(cause));
			}
		});
		Duration patience = Collections.max(List.of(this.timeout, SHORTEST_WATCH_CHECK));
		this.clock.scheduleUnlessDone(acknowledged, patience, () -> acknowledged.completeExceptionally(
				new LockUnavailableException("The etcd of the locks has not acknowledged a watch in time")));
		acknowledged.whenComplete((done, fault) -> watch.close());
		return acknowledged;
	}

	/**
	 * Send a request, and repeat it until it is answered.
	 * @param end when the call ends at the latest
	 */
	<T> CompletableFuture<T> call(long end, Function<EtcdLink, CompletionStage<T>> request) {
		Duration rest = Duration.ofNanos(Math.max(0, end - now()));
		Call<T> call = new Call<>(request, rest.dividedBy(3));
		this.clock.scheduleUnlessDone(call.result, rest, () -> timeOut(call));
		send(call);
		return call.result;
	}

	private void timeOut(Call<?> call) {
		Throwable fault = call.lastFault;
		this.links.note(false);
		call.result.completeExceptionally((fault != null) ? EtcdFaults.explain(fault)
				: new LockUnavailableException("The etcd of the locks has not answered in time"));
	}

	private <T> void send(Call<T> call) {
		if (call.result.isDone()) {
			return;
		}
		LockClock.Timeout impatience = this.clock.schedule(call.patience, () -> send(call));
		CompletableFuture.completedStage(this.links.ask()).thenCompose(call.request).whenComplete((answer, fault) -> {
			impatience.cancel();
			if (fault == null) {
				this.links.note(true);
				call.result.complete(answer);
			}
			else {
				onFault(call, this.refusals.classify(fault));
			}
		});
	}

	private void onFault(Call<?> call, Throwable fault) {
		call.lastFault = fault;
		this.links.note(!EtcdFaults.isPassing(fault));
		if (EtcdFaults.isPassing(fault)) {
			this.clock.schedule(Duration.ofNanos(call.pause), () -> send(call));
			call.pause = Math.min(2 * call.pause, LONGEST_PAUSE);
		}
		else {
			call.result.completeExceptionally(fault);
		}
	}

	/**
	 * A request that is repeated until it is answered.
	 */
	private static final class Call<T> {

		private final Function<EtcdLink, CompletionStage<T>> request;

		// How long to wait for an answer. A member that stands still does not answer, and
		// the next request goes to the next member.
		private final Duration patience;

		private final CompletableFuture<T> result = new CompletableFuture<>();

		// Set by the answer to one request before the next is sent.
		private volatile @Nullable Throwable lastFault;

		private volatile long pause = FIRST_PAUSE;

		Call(Function<EtcdLink, CompletionStage<T>> request, Duration patience) {
			this.request = request;
			this.patience = patience;
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
		 * Return whether the transaction is known to have had no effect.
		 */
		boolean isFailed() {
			return !this.succeeded && this.sends <= 1;
		}

		/**
		 * Return whether the transaction has succeeded.
		 * @param key the key of the lock
		 * @throws RepeatedRequestException if an earlier request may have released the
		 * lock
		 */
		boolean hasSucceeded(String key) {
			if (!this.succeeded && !isFailed()) {
				throw new RepeatedRequestException("the etcd of the locks", "released", key);
			}
			return this.succeeded;
		}

	}

}
