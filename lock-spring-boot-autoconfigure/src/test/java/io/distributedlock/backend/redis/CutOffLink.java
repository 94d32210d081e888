package io.distributedlock.backend.redis;

import java.net.ConnectException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;

import org.springframework.data.redis.connection.RedisConnection;

import io.distributedlock.backend.redis.script.RedisKeys;
import io.distributedlock.backend.redis.script.ScriptCall;

/**
 * A link that can be cut: what is sent then does not arrive.
 *
 * @param delegate what it hands on to
 * @param cutOff whether it is cut
 */
record CutOffLink(RedisLink delegate, BooleanSupplier cutOff) implements RedisLink {

	@Override
	public boolean isCluster() {
		return this.delegate.isCluster();
	}

	@Override
	public List<CompletionStage<List<Object>>> runAll(List<ScriptCall> calls, Duration timeout) {
		if (this.cutOff.getAsBoolean()) {
			return calls.stream().map((call) -> CutOffLink.<List<Object>>failed()).toList();
		}
		return this.delegate.runAll(calls, timeout);
	}

	@Override
	public CompletionStage<List<List<byte[]>>> primaries(RedisKeys keys) {
		return this.cutOff.getAsBoolean() ? failed() : this.delegate.primaries(keys);
	}

	private static <T> CompletionStage<T> failed() {
		return CompletableFuture.failedFuture(new ConnectException("The client is cut off"));
	}

	@Override
	public RedisConnection subscriptionConnection(Duration patience) {
		return this.delegate.subscriptionConnection(patience);
	}

	@Override
	public boolean breakSubscription(RedisConnection connection) {
		return this.delegate.breakSubscription(connection);
	}

	@Override
	public void onSilence(Runnable task) {
		this.delegate.onSilence(task);
	}

	@Override
	public long interruptions() {
		return this.delegate.interruptions();
	}

	@Override
	public void close() {
		this.delegate.close();
	}

}
