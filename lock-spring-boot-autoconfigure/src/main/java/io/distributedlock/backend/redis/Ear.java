package io.distributedlock.backend.redis;

import java.nio.charset.StandardCharsets;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.Message;
import org.springframework.data.redis.connection.MessageListener;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.Subscription;
import org.springframework.data.redis.connection.SubscriptionListener;

/**
 * Listens on one connection to the channel on which releases are told. Lettuce subscribes
 * again by itself when the connection was broken; Jedis keeps a thread and gives up.
 */
final class Ear implements MessageListener, SubscriptionListener {

	private final Signals signals;

	private final byte[] channel;

	// Both are guarded by this object's monitor.
	private @Nullable RedisConnection connection;

	private boolean closed;

	// Whether somebody waited since this was last asked.
	private volatile boolean used;

	Ear(Signals signals, byte[] channel) {
		this.signals = signals;
		this.channel = channel;
	}

	/**
	 * Subscribe. Returns when the subscription has ended where the driver blocks.
	 * @param connections opens a connection
	 */
	void open(Supplier<RedisConnection> connections) {
		RedisConnection opened = null;
		Throwable fault = null;
		try {
			opened = connections.get();
			if (keep(opened)) {
				opened.subscribe(this, this.channel);
				if (isKept() && opened.isSubscribed()) {
					return;
				}
			}
		}
		catch (RuntimeException ex) {
			fault = ex;
		}
		this.signals.ended(this, fault);
		if (opened != null) {
			close(opened);
		}
	}

	private synchronized boolean keep(RedisConnection opened) {
		this.connection = opened;
		return !this.closed;
	}

	private synchronized boolean isKept() {
		return !this.closed;
	}

	@Override
	public void onChannelSubscribed(byte[] subscribed, long count) {
		this.signals.confirmed(this);
	}

	@Override
	public void onMessage(Message message, byte @Nullable [] pattern) {
		this.signals.told(new String(message.getBody(), StandardCharsets.UTF_8));
	}

	void setUsed() {
		this.used = true;
	}

	boolean takeUsed() {
		boolean before = this.used;
		this.used = false;
		return before;
	}

	/**
	 * Give the connection back.
	 */
	void close() {
		RedisConnection current;
		synchronized (this) {
			this.closed = true;
			current = this.connection;
		}
		if (current != null) {
			close(current);
		}
	}

	private static void close(RedisConnection connection) {
		try {
			Subscription subscription = connection.getSubscription();
			if (subscription != null && subscription.isAlive()) {
				// The thread that a driver blocks goes on after this.
				subscription.unsubscribe();
			}
			connection.close();
		}
		catch (RuntimeException ex) {
			// Broken, and so closed.
			return;
		}
	}

}
