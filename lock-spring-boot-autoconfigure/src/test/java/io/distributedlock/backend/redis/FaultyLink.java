package io.distributedlock.backend.redis;

import java.net.ConnectException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.stream.IntStream;

import org.springframework.data.redis.connection.RedisConnection;

import io.distributedlock.backend.redis.script.RedisKeys;
import io.distributedlock.backend.redis.script.ScriptCall;

/**
 * A link that can be cut, so that calls do not arrive. It can also lose answers, so that
 * all calls are sent again, as Lettuce does over a new connection.
 */
final class FaultyLink implements RedisLink {

	private final RedisLink delegate;

	private final AtomicLong interruptions = new AtomicLong();

	private final Supplier<Fault> fault;

	FaultyLink(RedisLink delegate, Supplier<Fault> fault) {
		this.delegate = delegate;
		this.fault = fault;
	}

	@Override
	public boolean isCluster() {
		return this.delegate.isCluster();
	}

	@Override
	public List<CompletionStage<List<Object>>> runAll(List<ScriptCall> calls, Duration timeout) {
		if (this.fault.get() == Fault.CUT_OFF) {
			return calls.stream().map((call) -> FaultyLink.<List<Object>>failed()).toList();
		}
		List<CompletionStage<List<Object>>> sent = this.delegate.runAll(calls, timeout);
		return (this.fault.get() == Fault.LOSES_ANSWERS) ? IntStream.range(0, calls.size())
			.mapToObj((i) -> sent.get(i).thenCompose((lost) -> sendAgain(calls.get(i), timeout)))
			.toList() : sent;
	}

	private CompletionStage<List<Object>> sendAgain(ScriptCall call, Duration timeout) {
		this.interruptions.incrementAndGet();
		return this.delegate.run(call, timeout);
	}

	@Override
	public CompletionStage<List<List<byte[]>>> primaries(RedisKeys keys) {
		return (this.fault.get() == Fault.CUT_OFF) ? failed() : this.delegate.primaries(keys);
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
	public void open(Runnable onReconnect, Runnable onSilence) {
		this.delegate.open(onReconnect, onSilence);
	}

	@Override
	public long interruptions() {
		return this.delegate.interruptions() + this.interruptions.get();
	}

	@Override
	public void close() {
		this.delegate.close();
	}

	/**
	 * Faults of a link.
	 */
	enum Fault {

		NONE, CUT_OFF, LOSES_ANSWERS

	}

}
