package io.distributedlock.backend.redlock.lettuce;

import java.time.Duration;
import java.util.Optional;
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
import org.springframework.core.NestedExceptionUtils;

import io.distributedlock.LockUnavailableException;
import io.distributedlock.backend.notification.ReleaseListener;
import io.distributedlock.backend.notification.ReleaseSubscription;
import io.distributedlock.backend.redlock.NodeRefusedException;
import io.distributedlock.backend.redlock.NodeSession;
import io.distributedlock.backend.redlock.RedlockNode;
import io.distributedlock.spi.LockClock;

/**
 * A node by a client of Lettuce of its own.
 */
final class LettuceNode implements RedlockNode {

	private final String name;

	private final RedisClient client;

	private final RedisURI uri;

	private final String user;

	private final NodeScripts scripts;

	private final Executor elsewhere;

	private final LockClock clock;

	private final Duration connectTimeout;

	private final Runnable closed;

	// The driver complains where it is to close a connection that is being closed.
	private final Set<CompletableFuture<Void>> closing = ConcurrentHashMap.newKeySet();

	LettuceNode(String name, String user, RedisClient client, RedisURI uri, NodeScripts scripts, Executor elsewhere,
			LockClock clock, Duration connectTimeout, Runnable closed) {
		this.name = name;
		this.user = user;
		this.client = client;
		this.uri = uri;
		this.scripts = scripts;
		this.elsewhere = elsewhere;
		this.clock = clock;
		this.connectTimeout = connectTimeout;
		this.closed = closed;
	}

	@Override
	public String name() {
		return this.name;
	}

	@Override
	public CompletionStage<NodeSession> connect() {
		return open(this.client.connectAsync(ByteArrayCodec.INSTANCE, this.uri).toCompletableFuture(), this::session);
	}

	private CompletionStage<NodeSession> session(StatefulRedisConnection<byte[], byte[]> wire) {
		return new LettuceSession(this.name, this.user, wire, this.scripts, this.elsewhere, () -> end(wire)).open();
	}

	@Override
	public CompletionStage<ReleaseSubscription> subscribe(ReleaseListener listener) {
		return open(this.client.connectPubSubAsync(ByteArrayCodec.INSTANCE, this.uri).toCompletableFuture(),
				(wire) -> new LettuceSubscription(wire, this.scripts, listener, () -> end(wire)).open());
	}

	/**
	 * Make something of a connection, and close it where that fails or takes too long.
	 */
	private <C extends StatefulConnection<byte[], byte[]>, T> CompletionStage<T> open(CompletableFuture<C> connecting,
			Function<C, CompletionStage<T>> next) {
		CompletableFuture<T> opened = new CompletableFuture<>();
		this.clock.scheduleUnlessDone(opened, this.connectTimeout, () -> opened.completeExceptionally(
				new LockUnavailableException("no connection within " + this.connectTimeout.toMillis() + " ms")));
		connecting.whenComplete((wire, fault) -> {
			if (wire == null) {
				opened.completeExceptionally(explain(fault));
				return;
			}
			next.apply(wire).whenComplete((result, failure) -> {
				if (failure != null) {
					opened.completeExceptionally(explain(failure));
				}
				else {
					opened.complete(result);
				}
			});
			opened.whenComplete((result, failure) -> {
				if (failure != null) {
					end(wire);
				}
			});
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
	 * Tell what went wrong in the words of the node, as the cause of what a stage fails
	 * with: there it is looked for.
	 */
	private CompletionException explain(Throwable fault) {
		return new CompletionException(reason(fault));
	}

	private RuntimeException reason(Throwable fault) {
		Optional<NodeRefusedException> refusal = NodeRefusals.find(this.user, this.scripts.prefix(), null, fault);
		if (refusal.isPresent()) {
			return refusal.get();
		}
		String message = NestedExceptionUtils.getMostSpecificCause(fault).getMessage();
		return new LockUnavailableException(String.valueOf(message), fault);
	}

	@Override
	public void close() {
		CompletableFuture.allOf(this.closing.toArray(CompletableFuture[]::new))
			.handle((done, fault) -> this.client.shutdownAsync(0, 2, TimeUnit.SECONDS))
			.thenCompose((shutdown) -> shutdown)
			.whenComplete((done, fault) -> this.closed.run());
	}

}
