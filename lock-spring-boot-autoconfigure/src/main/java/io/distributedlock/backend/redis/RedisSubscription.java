package io.distributedlock.backend.redis;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicReference;
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

import io.distributedlock.LockUnavailableException;
import io.distributedlock.backend.notification.ReleaseListener;
import io.distributedlock.backend.notification.ReleaseSubscription;
import io.distributedlock.spi.LockClock;

/**
 * Subscribes on one connection to the channel on which releases are published. When the
 * connection breaks, Lettuce subscribes again by itself. A driver that blocks keeps a
 * thread, and its subscription ends when the connection breaks.
 * <p>
 * The connection is unsubscribed at most once, and never after the subscription may have
 * ended by itself. It is not used for anything else afterwards, because an answer to the
 * unsubscription may be left on it.
 */
final class RedisSubscription implements ReleaseSubscription, MessageListener, SubscriptionListener {

	private static final Logger logger = LoggerFactory.getLogger(RedisSubscription.class);

	private enum State {

		/**
		 * Not confirmed yet.
		 */
		OPENING,

		SUBSCRIBED,

		/**
		 * To be closed as soon as it is confirmed.
		 */
		UNWANTED,

		CLOSED

	}

	private final ReleaseListener listener;

	private final byte[] channel;

	private final Predicate<RedisConnection> breaker;

	private final Supplier<CompletionStage<?>> probe;

	private final Executor threads;

	private final LockClock clock;

	private final CompletableFuture<ReleaseSubscription> confirmed = new CompletableFuture<>();

	// Confirmations change the state without this object's monitor. The thread that
	// unsubscribes holds it while it waits for the driver's thread, and that is the
	// thread that confirms.
	private final AtomicReference<State> state = new AtomicReference<>(State.OPENING);

	// Written under the monitor, and read by confirmations without it.
	private volatile @Nullable Thread subscribing;

	// Both are guarded by the monitor: the connection, and whether the driver has
	// returned from subscribing while the subscription stands.
	private @Nullable RedisConnection connection;

	private boolean detached;

	// When the latest message arrived, and the stage that the next one completes.
	private volatile long heardAt;

	private volatile CompletableFuture<Void> sign = new CompletableFuture<>();

	/**
	 * Create a subscription.
	 * @param listener receives releases
	 * @param channel the channel
	 * @param breaker breaks a connection without waiting for the server, and returns
	 * whether its subscription then ends or is made again
	 * @param probe publishes a message to all subscribers
	 * @param threads end the subscription, which may block
	 * @param clock the clock of this JVM
	 */
	RedisSubscription(ReleaseListener listener, byte[] channel, Predicate<RedisConnection> breaker,
			Supplier<CompletionStage<?>> probe, Executor threads, LockClock clock) {
		this.listener = listener;
		this.channel = channel;
		this.breaker = breaker;
		this.probe = probe;
		this.threads = threads;
		this.clock = clock;
	}

	/**
	 * Return this subscription once the server has confirmed it.
	 */
	CompletionStage<ReleaseSubscription> confirmed() {
		return this.confirmed;
	}

	/**
	 * Subscribe. If the driver blocks, this returns when the subscription has ended.
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
			// Catches errors, too. Otherwise this would count as subscribed without being
			// so.
			fault = ex;
		}
		ended(fault);
		end();
	}

	private void ended(@Nullable Throwable fault) {
		if (!this.confirmed.completeExceptionally(
				(fault != null) ? fault : new LockUnavailableException("The subscription has ended"))) {
			this.listener.ended();
		}
	}

	private synchronized void begin(RedisConnection opened) {
		this.connection = opened;
		this.subscribing = Thread.currentThread();
	}

	/**
	 * Record that the driver does not block.
	 * @return whether the subscription stands and is still wanted
	 */
	private synchronized boolean detach(RedisConnection opened) {
		this.subscribing = null;
		this.detached = this.state.get() != State.CLOSED && opened.isSubscribed();
		return this.detached && this.state.get() != State.UNWANTED;
	}

	/**
	 * Give the connection back, from a thread that may block.
	 */
	private synchronized void end() {
		if (this.detached && this.state.get() != State.CLOSED) {
			unsubscribe();
		}
		this.state.set(State.CLOSED);
		giveBack();
	}

	@Override
	public void onChannelSubscribed(byte[] subscribed, long count) {
		this.state.compareAndSet(State.OPENING, State.SUBSCRIBED);
		State seen = this.state.get();
		if (seen == State.UNWANTED) {
			endUnwanted();
		}
		else if (seen == State.SUBSCRIBED) {
			heard();
			if (!this.confirmed.complete(this)) {
				this.listener.resubscribed();
			}
		}
	}

	/**
	 * End a subscription that is no longer wanted, now that it is confirmed. If the
	 * driver blocks, this happens here, on the thread that it blocks.
	 */
	private void endUnwanted() {
		if (Thread.currentThread() == this.subscribing) {
			unsubscribe();
			return;
		}
		executeElsewhere(() -> {
			if (endIfDetached()) {
				ended(null);
			}
		});
	}

	/**
	 * End a subscription that stands. If the driver has not returned from subscribing
	 * yet, the thread that subscribes ends it.
	 */
	private synchronized boolean endIfDetached() {
		if (this.detached) {
			end();
		}
		return this.detached;
	}

	@Override
	public void onMessage(Message message, byte @Nullable [] pattern) {
		heard();
		this.listener.released(new String(message.getBody(), StandardCharsets.UTF_8));
	}

	private void heard() {
		this.heardAt = this.clock.nanoTime();
		this.sign.complete(null);
	}

	/**
	 * If no message has arrived for a while, publish one that names no lock, and wait for
	 * it.
	 */
	@Override
	public CompletionStage<Void> check() {
		if (this.clock.nanoTime() - this.heardAt < RedisNotifications.QUIET.toNanos()) {
			return CompletableFuture.completedStage(null);
		}
		CompletableFuture<Void> next = new CompletableFuture<>();
		this.sign = next;
		this.probe.get().whenComplete((sent, fault) -> {
			if (fault != null) {
				// This shows neither that the subscription works nor that it is broken.
				next.complete(null);
			}
		});
		return next;
	}

	@Override
	public boolean reset() {
		logger.info("The subscription in the Redis of the locks receives nothing; it is made again");
		return breakConnection();
	}

	/**
	 * Connect again, because the server does not answer.
	 */
	void reconnect() {
		if (!breakConnection()) {
			ended(null);
		}
	}

	/**
	 * Break the connection, or end the subscription if that is not possible.
	 * @return {@code true} if the subscription then ends by itself, or is made again by
	 * the driver
	 */
	private boolean breakConnection() {
		RedisConnection current;
		synchronized (this) {
			current = this.connection;
		}
		if (current == null || this.breaker.test(current)) {
			return true;
		}
		close();
		return false;
	}

	@Override
	public void close() {
		executeElsewhere(this::unsubscribeOnce);
	}

	/**
	 * Run a task that may wait for the server on another thread. The current one may be
	 * the driver's thread, which must not wait for itself and serves other connections
	 * too. After the locks were stopped, the task is run on the current thread if that is
	 * the one that a driver blocks. Otherwise it is dropped.
	 */
	private void executeElsewhere(Runnable task) {
		try {
			this.threads.execute(task);
		}
		catch (RejectedExecutionException ex) {
			if (Thread.currentThread() == this.subscribing) {
				task.run();
			}
			else {
				logger.debug("A subscription in Redis ends with the connections of the application", ex);
			}
		}
	}

	/**
	 * End the subscription now, or as soon as it is confirmed.
	 */
	private synchronized void unsubscribeOnce() {
		if (!this.state.compareAndSet(State.OPENING, State.UNWANTED) && this.state.get() == State.SUBSCRIBED) {
			unsubscribe();
			if (this.detached) {
				giveBack();
			}
		}
	}

	private synchronized void unsubscribe() {
		this.state.set(State.CLOSED);
		try {
			Subscription subscription = (this.connection != null) ? this.connection.getSubscription() : null;
			if (subscription != null) {
				// A thread that the driver blocks continues after this.
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
