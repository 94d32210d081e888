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
import java.util.function.Supplier;

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
		}).thenApply(
				(answer) -> new CountedAnswer(answer.isSucceeded(), sends.get(), answer.getHeader().getRevision()));
	}

	/**
	 * Delete a key, and count how often that is sent. It succeeds if the key had been
	 * created at a revision.
	 */
	CompletableFuture<CountedAnswer> deleteCounted(long end, ByteSequence key, long revision) {
		AtomicInteger sends = new AtomicInteger();
		return call(end, (link) -> {
			sends.incrementAndGet();
			return link.delete(key);
		}).thenApply((deleted) -> new CountedAnswer(deleted == revision, sends.get(), 0));
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
	 * Watch keys, see {@link EtcdLink#watch}.
	 */
	EtcdLink.OpenWatch watch(ByteSequence key, @Nullable ByteSequence end, long from, LongConsumer begun,
			EtcdLink.Deletions deleted, Runnable ended) {
		return this.links.current().watch(key, end, from, begun, deleted, ended);
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
		Call<T> call = new Call<>(request, end, Math.max(0, end - now()) / 3);
		send(call);
		return call.result;
	}

	/**
	 * Continue at the time for which the call has been armed.
	 */
	private void resume(Call<?> call) {
		if (call.end - now() > 0) {
			send(call);
			return;
		}
		Throwable fault = call.lastFault;
		this.links.note(false);
		call.complete(null, (fault != null) ? EtcdFaults.explain(fault)
				: new LockUnavailableException("The etcd of the locks has not answered in time"));
	}

	private <T> void send(Call<T> call) {
		if (call.result.isDone()) {
			return;
		}
		// Before it is sent, since the answer disarms it.
		arm(call, call.patience);
		CompletionStage<T> answered;
		try {
			answered = call.request.apply(this.links.ask());
		}
		catch (Throwable ex) {
			onFault(call, this.refusals.classify(ex));
			return;
		}
		answered.whenComplete((answer, fault) -> {
			if (fault == null) {
				this.links.note(true);
				call.complete(answer, null);
			}
			else {
				onFault(call, this.refusals.classify(fault));
			}
		});
	}

	private void onFault(Call<?> call, Throwable fault) {
		call.lastFault = fault;
		boolean passing = EtcdFaults.isPassing(fault);
		this.links.note(!passing);
		if (passing) {
			arm(call, call.pause);
			call.pause = Math.min(2 * call.pause, LONGEST_PAUSE);
		}
		else {
			call.complete(null, fault);
		}
	}

	/**
	 * Let the call continue after a time, at its end at the latest.
	 */
	private void arm(Call<?> call, long nanos) {
		long delay = Math.max(0, Math.min(nanos, call.end - now()));
		call.arm(() -> this.clock.schedule(Duration.ofNanos(delay), () -> resume(call)));
	}

	/**
	 * A request that is repeated until it is answered.
	 */
	private static final class Call<T> {

		private final Function<EtcdLink, CompletionStage<T>> request;

		private final long end;

		// How many nanoseconds to wait for an answer. A member that stands still does not
		// answer, and the next request goes to the next member.
		private final long patience;

		private final CompletableFuture<T> result = new CompletableFuture<>();

		// Set by the answer to one request before the next is sent.
		private volatile @Nullable Throwable lastFault;

		private volatile long pause = FIRST_PAUSE;

		// The only timer of the call, for the next request or its end. Guarded by the
		// monitor, like the field below. Nothing but the clock is called while it is
		// held.
		private LockClock.@Nullable Timeout timer;

		private boolean over;

		Call(Function<EtcdLink, CompletionStage<T>> request, long end, long patience) {
			this.request = request;
			this.end = end;
			this.patience = patience;
		}

		/**
		 * Set the timer, instead of the one that was set before.
		 */
		synchronized void arm(Supplier<LockClock.Timeout> timer) {
			disarm();
			this.timer = this.over ? null : timer.get();
		}

		private synchronized void disarm() {
			if (this.timer != null) {
				this.timer.cancel();
			}
		}

		void complete(@Nullable T answer, @Nullable Throwable fault) {
			synchronized (this) {
				this.over = true;
				disarm();
			}
			if (fault != null) {
				this.result.completeExceptionally(fault);
			}
			else {
				this.result.complete(answer);
			}
		}

	}

	/**
	 * The answer to a request that releases a lock.
	 *
	 * @param succeeded whether the request that was answered has released it
	 * @param sends how often the request was sent until then
	 * @param revision the revision of a transaction, zero for another request
	 */
	record CountedAnswer(boolean succeeded, int sends, long revision) {

		/**
		 * Return whether the request is known to have had no effect.
		 */
		boolean isFailed() {
			return !this.succeeded && this.sends <= 1;
		}

		/**
		 * Return whether the request has succeeded.
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
