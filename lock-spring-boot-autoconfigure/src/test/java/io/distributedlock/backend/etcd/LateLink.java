package io.distributedlock.backend.etcd;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.function.Supplier;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.kv.TxnResponse;
import org.jspecify.annotations.Nullable;

/**
 * A link that delivers one transaction when a test asks for it, as through a member that
 * stood still for a while.
 */
final class LateLink implements EtcdLink {

	private final EtcdLink delegate;

	private final AtomicBoolean holdsNext = new AtomicBoolean();

	private final AtomicInteger untilOvertaking = new AtomicInteger();

	private final AtomicInteger untilLoss = new AtomicInteger();

	private final AtomicReference<EtcdTxn> held = new AtomicReference<>();

	private final CompletableFuture<TxnResponse> heldAnswer = new CompletableFuture<>();

	private final AtomicInteger underWay = new AtomicInteger();

	LateLink(EtcdLink delegate) {
		this.delegate = delegate;
	}

	/**
	 * Hold back the next transaction.
	 */
	void holdNext() {
		this.holdsNext.set(true);
	}

	/**
	 * Let the transaction that was held back arrive just after the next one, and be
	 * answered just before it.
	 */
	void letNextOvertake() {
		letOvertakeAfter(0);
	}

	/**
	 * Let the transaction that was held back overtake one that is sent after some others.
	 */
	void letOvertakeAfter(int others) {
		this.untilOvertaking.set(others + 1);
	}

	/**
	 * Lose the answer to a transaction that is sent after some others.
	 */
	void loseAnswerAfter(int others) {
		this.untilLoss.set(others + 1);
	}

	/**
	 * Deliver the transaction that was held back.
	 */
	CompletionStage<TxnResponse> deliver() {
		return this.delegate.commit(this.held.getAndSet(null));
	}

	@Override
	public CompletionStage<TxnResponse> commit(EtcdTxn txn) {
		if (this.holdsNext.compareAndSet(true, false)) {
			this.held.set(txn);
			return this.heldAnswer;
		}
		return send(() -> this.delegate.commit(txn));
	}

	@Override
	public CompletionStage<Long> delete(ByteSequence key) {
		return send(() -> this.delegate.delete(key));
	}

	private <T> CompletionStage<T> send(Supplier<CompletionStage<T>> request) {
		if (this.untilOvertaking.getAndUpdate((count) -> Math.max(0, count - 1)) == 1) {
			return request.get().thenCompose((answer) -> deliver().thenApply((late) -> {
				this.heldAnswer.complete(late);
				return answer;
			}));
		}
		if (this.untilLoss.getAndUpdate((count) -> Math.max(0, count - 1)) == 1) {
			return request.get().thenCompose((answer) -> new CompletableFuture<>());
		}
		this.underWay.incrementAndGet();
		return request.get().whenComplete((answer, fault) -> this.underWay.decrementAndGet());
	}

	@Override
	public CompletionStage<LeaseAnswer> grant(long ttlSeconds) {
		return this.delegate.grant(ttlSeconds);
	}

	@Override
	public CompletionStage<LeaseAnswer> keepAlive(long leaseId) {
		return this.delegate.keepAlive(leaseId);
	}

	@Override
	public CompletionStage<Void> revoke(long leaseId) {
		return this.delegate.revoke(leaseId);
	}

	@Override
	public CompletionStage<LeaseState> state(long leaseId, boolean keys) {
		return this.delegate.state(leaseId, keys);
	}

	@Override
	public OpenWatch watch(ByteSequence key, @Nullable ByteSequence end, long from, LongConsumer begun,
			Deletions deleted, Runnable ended) {
		return this.delegate.watch(key, end, from, begun, deleted, ended);
	}

	/**
	 * Return how many transactions have been sent and not answered, except the one that
	 * was held back.
	 */
	int underWay() {
		return this.underWay.get();
	}

	@Override
	public OpenWatch checkWatch(ByteSequence key, Runnable acknowledged, Consumer<Throwable> failed) {
		return this.delegate.checkWatch(key, acknowledged, failed);
	}

	@Override
	public void close() {
		this.delegate.close();
	}

}
