package io.distributedlock.backend.redlock.lettuce;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.RedisPubSubListener;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;

import io.distributedlock.LockUnavailableException;
import io.distributedlock.backend.notification.ReleaseListener;
import io.distributedlock.backend.notification.ReleaseSubscription;
import io.distributedlock.backend.redis.script.RedisKeys;

/**
 * Subscribes to the releases of one node on a connection of its own, until that ends.
 */
final class LettuceSubscription extends RedisPubSubAdapter<byte[], byte[]>
		implements ReleaseSubscription, RedisConnectionStateListener {

	private final StatefulRedisPubSubConnection<byte[], byte[]> wire;

	private final RedisKeys keys;

	private final ReleaseListener listener;

	private final Runnable closer;

	private final CompletableFuture<ReleaseSubscription> confirmed = new CompletableFuture<>();

	private volatile CompletableFuture<Void> checking = new CompletableFuture<>();

	LettuceSubscription(StatefulRedisPubSubConnection<byte[], byte[]> wire, RedisKeys keys, ReleaseListener listener,
			Runnable closer) {
		this.wire = wire;
		this.closer = closer;
		this.keys = keys;
		this.listener = listener;
	}

	CompletionStage<ReleaseSubscription> open() {
		this.wire.addListener((RedisPubSubListener<byte[], byte[]>) this);
		this.wire.addListener((RedisConnectionStateListener) this);
		if (!this.wire.isOpen()) {
			end();
		}
		// A subscription is useless to a user that may not publish, since its releases
		// wake no waiter. No key is empty, so this message wakes no waiter either.
		this.wire.async()
			.publish(this.keys.channel(), new byte[0])
			.thenCompose((published) -> this.wire.async().subscribe(this.keys.channel()))
			.whenComplete((done, fault) -> {
				if (fault != null) {
					this.confirmed.completeExceptionally(fault);
				}
			});
		return this.confirmed;
	}

	@Override
	public void subscribed(byte[] channel, long count) {
		this.confirmed.complete(this);
		this.checking.complete(null);
	}

	/**
	 * Subscribe once more, which changes nothing. Every user that may subscribe may
	 * repeat it, while PING needs a right of its own.
	 */
	@Override
	public CompletionStage<Void> check() {
		CompletableFuture<Void> answer = new CompletableFuture<>();
		this.checking = answer;
		this.wire.async().subscribe(this.keys.channel()).whenComplete((done, fault) -> {
			if (fault != null) {
				answer.completeExceptionally(fault);
			}
		});
		return answer;
	}

	@Override
	public void message(byte[] channel, byte[] message) {
		this.keys.key(message).ifPresent(this.listener::released);
	}

	@Override
	public void onRedisDisconnected(RedisChannelHandler<?, ?> connection) {
		end();
	}

	private void end() {
		if (!this.confirmed.completeExceptionally(new LockUnavailableException("the connection has ended"))) {
			this.listener.ended();
		}
	}

	@Override
	public void close() {
		this.closer.run();
	}

}
