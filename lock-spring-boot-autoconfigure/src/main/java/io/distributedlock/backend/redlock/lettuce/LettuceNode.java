package io.distributedlock.backend.redlock.lettuce;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.resource.ClientResources;
import org.springframework.core.NestedExceptionUtils;

import io.distributedlock.LockUnavailableException;
import io.distributedlock.backend.notification.ReleaseListener;
import io.distributedlock.backend.notification.ReleaseSubscription;
import io.distributedlock.backend.redis.script.RedisKeys;
import io.distributedlock.backend.redlock.NodeSession;
import io.distributedlock.backend.redlock.RedlockEndpoint;
import io.distributedlock.backend.redlock.RedlockNode;
import io.distributedlock.spi.CompletionCauses;

/**
 * Gives access to a node by a Lettuce client of its own.
 */
final class LettuceNode implements RedlockNode {

	private final RedlockEndpoint endpoint;

	private final LettuceNodes settings;

	private final RedisURI uri;

	private final RedisClient client;

	private final Executor elsewhere;

	private final RedisKeys keys;

	private final NodeRefusals refusals;

	private final Runnable closed;

	// The driver complains if it has to close a connection that is being closed.
	private final Set<CompletableFuture<Void>> closing = ConcurrentHashMap.newKeySet();

	LettuceNode(RedlockEndpoint endpoint, LettuceNodes settings, ClientResources resources, Runnable closed) {
		this.endpoint = endpoint;
		this.settings = settings;
		this.uri = settings.uri(endpoint);
		this.client = RedisClient.create(resources, this.uri);
		this.client.setOptions(settings.options());
		this.elsewhere = resources.eventExecutorGroup().next();
		this.keys = new RedisKeys(settings.keyPrefix());
		this.refusals = new NodeRefusals((endpoint.username() != null) ? endpoint.username() : "default",
				new String(this.keys.beside(""), StandardCharsets.UTF_8));
		this.closed = closed;
	}

	@Override
	public String name() {
		return this.endpoint.name();
	}

	@Override
	public CompletionStage<NodeSession> connect() {
		return open(this.client.connectAsync(ByteArrayCodec.INSTANCE, this.uri).toCompletableFuture(), this::session);
	}

	private CompletionStage<NodeSession> session(StatefulRedisConnection<byte[], byte[]> wire) {
		return LettuceSession.open(new NodeConnection(name(), this.refusals, wire, this.elsewhere, () -> end(wire)),
				this.keys);
	}

	@Override
	public CompletionStage<ReleaseSubscription> subscribe(ReleaseListener listener) {
		return open(this.client.connectPubSubAsync(ByteArrayCodec.INSTANCE, this.uri).toCompletableFuture(),
				(wire) -> new LettuceSubscription(wire, this.keys, listener, () -> end(wire)).open());
	}

	/**
	 * Continue with a new connection, and close it if that fails or takes too long.
	 */
	private <C extends StatefulConnection<byte[], byte[]>, T> CompletionStage<T> open(CompletableFuture<C> connecting,
			Function<C, CompletionStage<T>> next) {
		CompletableFuture<T> opened = new CompletableFuture<>();
		Duration most = this.settings.connectTimeout();
		this.settings.clock()
			.scheduleUnlessDone(opened, most, () -> opened.completeExceptionally(
					new LockUnavailableException("no connection within " + most.toMillis() + " ms")));
		connecting.thenAccept((wire) -> opened.whenComplete((result, fault) -> {
			if (fault != null) {
				end(wire);
			}
		}));
		connecting.thenCompose(next).whenComplete((result, fault) -> {
			if (fault != null) {
				opened.completeExceptionally(explain(CompletionCauses.unwrap(fault)));
			}
			else {
				opened.complete(result);
			}
		});
		return opened;
	}

	private void end(StatefulConnection<byte[], byte[]> wire) {
		if (wire instanceof RedisChannelHandler<?, ?> handler && handler.isClosed()) {
			return;
		}
		CompletableFuture<Void> over = wire.closeAsync();
		this.closing.add(over);
		over.whenComplete((done, fault) -> this.closing.remove(over));
	}

	/**
	 * Explain a fault in the words of the node. The explanation is the cause of the
	 * returned exception, since callers of a stage look for it there.
	 */
	private CompletionException explain(Throwable fault) {
		return new CompletionException(this.refusals.find(null, fault)
			.<LockUnavailableException>map((refusal) -> refusal)
			.orElseGet(() -> new LockUnavailableException(
					String.valueOf(NestedExceptionUtils.getMostSpecificCause(fault).getMessage()), fault)));
	}

	@Override
	public void close() {
		CompletableFuture.allOf(this.closing.toArray(CompletableFuture[]::new))
			.handle((done, fault) -> this.client.shutdownAsync(0, 2, TimeUnit.SECONDS))
			.thenCompose((shutdown) -> shutdown)
			.whenComplete((done, fault) -> this.closed.run());
	}

}
