package io.distributedlock.backend.redis;

import java.nio.charset.StandardCharsets;
import java.util.function.Predicate;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.data.redis.connection.Message;
import org.springframework.data.redis.connection.MessageListener;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.Subscription;
import org.springframework.data.redis.connection.SubscriptionListener;

/**
 * Listens on one connection to the channel on which releases are told. Lettuce subscribes
 * again by itself when the connection was broken; a driver that blocks keeps a thread and
 * gives up.
 * <p>
 * It ends a subscription once, and never when it may be over. The connection serves
 * nothing else afterwards: an answer to the end may be left on it.
 */
final class Ear implements MessageListener, SubscriptionListener {

	private static final Logger logger = LoggerFactory.getLogger(Ear.class);

	private enum State {

		/**
		 * Not confirmed yet.
		 */
		OPENING,

		HEARING,

		/**
		 * To be closed as soon as it is confirmed.
		 */
		UNWANTED,

		CLOSED

	}

	private final Signals signals;

	private final byte[] channel;

	// Both are written under this object's monitor. Confirmations read them without it:
	// whoever unsubscribes holds it, and may wait for the thread that confirms.
	private volatile State state = State.OPENING;

	private volatile @Nullable Thread subscribing;

	// Both are guarded by the monitor: the connection, and whether the driver came back
	// although the subscription stands.
	private @Nullable RedisConnection connection;

	private boolean detached;

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
		Throwable fault = null;
		try {
			RedisConnection opened = connections.get();
			begin(opened);
			opened.subscribe(this, this.channel);
			if (detach(opened)) {
				return;
			}
		}
		catch (Throwable ex) {
			// An error, too: nobody would listen for as long as this counts as hearing.
			fault = ex;
		}
		this.signals.ended(this, fault);
		end();
	}

	private synchronized void begin(RedisConnection opened) {
		this.connection = opened;
		this.subscribing = Thread.currentThread();
	}

	/**
	 * Take note that the driver does not block.
	 * @return whether the subscription stands
	 */
	private synchronized boolean detach(RedisConnection opened) {
		this.subscribing = null;
		this.detached = this.state != State.CLOSED && opened.isSubscribed();
		return this.detached && this.state != State.UNWANTED;
	}

	/**
	 * Give the connection back, from the thread that has subscribed.
	 */
	private synchronized void end() {
		if (this.detached && this.state != State.CLOSED) {
			unsubscribe();
		}
		this.state = State.CLOSED;
		giveBack();
	}

	@Override
	public void onChannelSubscribed(byte[] subscribed, long count) {
		State seen = this.state;
		if (seen == State.OPENING) {
			synchronized (this) {
				if (this.state == State.OPENING) {
					this.state = State.HEARING;
				}
				seen = this.state;
			}
		}
		if (seen == State.UNWANTED && Thread.currentThread() == this.subscribing) {
			endBlocking();
		}
		else if (seen == State.HEARING) {
			this.signals.confirmed(this);
		}
	}

	private synchronized void endBlocking() {
		unsubscribe();
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
	 * End the subscription, or see to it that it ends as soon as it stands.
	 */
	synchronized void close() {
		if (this.state == State.HEARING) {
			unsubscribe();
			if (this.detached) {
				giveBack();
			}
		}
		else if (this.state == State.OPENING) {
			this.state = State.UNWANTED;
		}
	}

	/**
	 * Break the connection if there is one.
	 * @param breaker breaks a connection without waiting for the server
	 * @return whether this ends by that, or hears again by itself
	 */
	boolean breakConnection(Predicate<RedisConnection> breaker) {
		RedisConnection current;
		synchronized (this) {
			current = this.connection;
		}
		return current == null || breaker.test(current);
	}

	private void unsubscribe() {
		this.state = State.CLOSED;
		try {
			Subscription subscription = (this.connection != null) ? this.connection.getSubscription() : null;
			if (subscription != null) {
				// A thread that the driver blocks goes on after this.
				subscription.unsubscribe();
			}
		}
		catch (RuntimeException ex) {
			logger.debug("A subscription in Redis has ended by itself", ex);
		}
	}

	private void giveBack() {
		RedisConnection current = this.connection;
		this.connection = null;
		if (current != null) {
			try {
				current.close();
			}
			catch (RuntimeException ex) {
				logger.debug("A connection to Redis was closed already", ex);
			}
		}
	}

}
