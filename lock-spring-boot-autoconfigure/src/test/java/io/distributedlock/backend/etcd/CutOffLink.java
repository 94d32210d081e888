package io.distributedlock.backend.etcd;

import java.net.ConnectException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.function.Supplier;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.kv.TxnResponse;
import io.grpc.Status;
import org.jspecify.annotations.Nullable;

/**
 * A link that can be cut off. Requests then do not arrive, and answers are not received.
 */
final class CutOffLink implements EtcdLink {

	private final EtcdLink delegate;

	private final BooleanSupplier cutOff;

	CutOffLink(EtcdLink delegate, BooleanSupplier cutOff) {
		this.delegate = delegate;
		this.cutOff = cutOff;
	}

	@Override
	public CompletionStage<TxnResponse> commit(EtcdTxn txn) {
		return send(() -> this.delegate.commit(txn));
	}

	@Override
	public CompletionStage<Long> delete(ByteSequence key) {
		return send(() -> this.delegate.delete(key));
	}

	@Override
	public CompletionStage<LeaseAnswer> grant(long ttlSeconds) {
		return send(() -> this.delegate.grant(ttlSeconds));
	}

	@Override
	public CompletionStage<LeaseAnswer> keepAlive(long leaseId) {
		return send(() -> this.delegate.keepAlive(leaseId));
	}

	@Override
	public CompletionStage<Void> revoke(long leaseId) {
		return send(() -> this.delegate.revoke(leaseId));
	}

	@Override
	public CompletionStage<LeaseState> state(long leaseId, boolean keys) {
		return send(() -> this.delegate.state(leaseId, keys));
	}

	@Override
	public OpenWatch watch(ByteSequence key, @Nullable ByteSequence end, long from, LongConsumer begun,
			Deletions deleted, Runnable ended) {
		return this.delegate.watch(key, end, from, begun, (name, leaseId, revision) -> {
			if (!this.cutOff.getAsBoolean()) {
				deleted.deleted(name, leaseId, revision);
			}
		}, ended);
	}

	@Override
	public OpenWatch checkWatch(ByteSequence key, Runnable acknowledged, Consumer<Throwable> failed) {
		return this.delegate.checkWatch(key, acknowledged, failed);
	}

	@Override
	public void close() {
		this.delegate.close();
	}

	private <T> CompletionStage<T> send(Supplier<CompletionStage<T>> request) {
		return this.cutOff.getAsBoolean() ? CompletableFuture.failedFuture(
				Status.UNAVAILABLE.withCause(new ConnectException("The client is cut off")).asRuntimeException())
				: request.get();
	}

}
