package io.distributedlock.backend.redis;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.data.redis.connection.RedisConnection;

import io.distributedlock.LockRefusedException;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.spi.LockClock;

/**
 * Tells waiters of releases, by one subscription for all of them, which is given back
 * when nobody has waited for a minute. Who waits joins before the attempt that leaves the
 * mark; when the subscription is confirmed, also after it was broken, everybody is woken.
 */
final class Signals {

	private static final Logger logger = LoggerFactory.getLogger(Signals.class);

	private static final Duration IDLE = Duration.ofMinutes(1);

	private static final Duration RETRY = Duration.ofSeconds(1);

	private final Map<String, Set<Place>> places = new ConcurrentHashMap<>();

	private final Supplier<RedisConnection> connections;

	private final Predicate<RedisConnection> breaker;

	private final byte[] channel;

	private final SubscriptionProbe probe;

	private final @Nullable String user;

	private final AtomicBoolean warned = new AtomicBoolean();

	// Guarded by the monitor: those that ask whether releases are heard of.
	private final Set<CompletableFuture<Boolean>> asked = new HashSet<>();

	// The ear that is looked after, by one chain of looks.
	private final AtomicReference<@Nullable Ear> probed = new AtomicReference<>();

	// One may be kept by a driver that blocks, and to end a subscription takes as long as
	// the driver waits for a server that is gone: none of them may keep a timer, a stop
	// or the next one.
	private final ExecutorService listeners = RedisThreads.named("lock-redis-signals", 8);

	private final LockClock clock;

	// Written under this object's monitor: what listens or is about to.
	private volatile @Nullable Ear ear;

	// Both are guarded by the monitor: whether a try is scheduled, and whether it is all
	// over.
	private boolean scheduled;

	private boolean closed;

	// Written under the monitor; read by every attempt that waits.
	private volatile boolean hearing;

	/**
	 * Create signals.
	 * @param connections opens a connection
	 * @param breaker breaks one without waiting for the server, and returns whether its
	 * subscription ends by that or is made again
	 * @param channel the channel on which releases are told
	 * @param probe finds out whether a subscription hears
	 * @param user the user of the locks, if known
	 * @param clock the clock of this JVM
	 */
	Signals(Supplier<RedisConnection> connections, Predicate<RedisConnection> breaker, byte[] channel,
			SubscriptionProbe probe, @Nullable String user, LockClock clock) {
		this.user = user;
		this.connections = connections;
		this.breaker = breaker;
		this.channel = channel;
		this.probe = probe;
		this.clock = clock;
	}

	/**
	 * Return whether releases are heard of. Who joined before and attempts after this was
	 * {@code true} misses none.
	 */
	boolean isHearing() {
		return this.hearing;
	}

	/**
	 * Find out whether releases are heard of: a message is sent and comes back.
	 * @param timeout how long that may take
	 * @return {@code true} once they are, {@code false} if the application's connections
	 * can't subscribe; completed exceptionally if that is refused or takes too long
	 */
	CompletionStage<Boolean> heard(Duration timeout) {
		CompletableFuture<Boolean> heard = new CompletableFuture<>();
		synchronized (this) {
			this.asked.add(heard);
		}
		LockClock.Timeout end = this.clock.schedule(timeout,
				() -> heard.completeExceptionally(new LockUnavailableException(
						"The subscription to the releases of locks in Redis was not confirmed within "
								+ timeout.toMillis() + " ms")));
		heard.whenComplete((answer, fault) -> {
			end.cancel();
			forget(heard);
		});
		listen();
		if (this.hearing) {
			heard.complete(true);
		}
		return heard.thenCompose((subscribed) -> subscribed ? this.probe.send().thenApply((sent) -> true)
				: CompletableFuture.completedFuture(false));
	}

	private synchronized void forget(CompletableFuture<Boolean> heard) {
		this.asked.remove(heard);
	}

	private synchronized List<CompletableFuture<Boolean>> asked() {
		return List.copyOf(this.asked);
	}

	Place join(String lock, Runnable wakeUp) {
		Place place = new Place(lock, wakeUp);
		this.places.compute(lock, (name, present) -> {
			Set<Place> all = (present != null) ? present : ConcurrentHashMap.newKeySet();
			all.add(place);
			return all;
		});
		return place;
	}

	/**
	 * Begin to listen unless that has begun.
	 */
	void listen() {
		if (this.hearing) {
			return;
		}
		synchronized (this) {
			if (this.ear == null && !this.closed && !this.scheduled) {
				open();
			}
		}
	}

	private synchronized void open() {
		this.scheduled = false;
		if (this.closed || this.ear != null || this.places.isEmpty()) {
			return;
		}
		Ear next = new Ear(this, this.channel);
		this.ear = next;
		try {
			this.listeners.execute(() -> next.open(this.connections));
			this.clock.schedule(IDLE, () -> closeIfIdle(next));
			this.clock.schedule(SubscriptionProbe.QUIET, () -> endIfUnconfirmed(next));
		}
		catch (RejectedExecutionException ex) {
			this.ear = null;
		}
	}

	private void endIfUnconfirmed(Ear current) {
		if (this.ear == current && !this.hearing) {
			reconnect();
		}
	}

	private void closeIfIdle(Ear current) {
		synchronized (this) {
			if (this.ear != current) {
				return;
			}
			if (!this.places.isEmpty() || current.takeUsed()) {
				this.clock.schedule(IDLE, () -> closeIfIdle(current));
				return;
			}
			this.ear = null;
			this.hearing = false;
		}
		end(current);
		// Whoever joined meanwhile has seen that somebody listens.
		if (!this.places.isEmpty()) {
			listen();
		}
	}

	void confirmed(Ear confirmed) {
		synchronized (this) {
			if (this.ear != confirmed) {
				return;
			}
			this.hearing = true;
		}
		this.probe.heard();
		lookAfter(confirmed);
		asked().forEach((heard) -> heard.complete(true));
		this.places.values().forEach((all) -> all.forEach(Place::wake));
	}

	void told(String lock) {
		this.probe.heard();
		Set<Place> all = this.places.get(lock);
		if (all != null) {
			all.forEach(Place::wake);
		}
	}

	/**
	 * Connect again, because this connection to the server, or another one, was found to
	 * be silent.
	 */
	void reconnect() {
		Ear current = this.ear;
		if (current != null && !current.breakConnection(this.breaker)) {
			ended(current, null);
			end(current);
		}
	}

	/**
	 * Look now and then whether a subscription hears while somebody waits.
	 */
	private void lookAfter(Ear current) {
		if (this.ear != current || !this.probed.compareAndSet(null, current)) {
			return;
		}
		lookLater(current);
	}

	private void lookLater(Ear current) {
		this.clock.schedule(SubscriptionProbe.QUIET, () -> {
			if (this.ear != current) {
				this.probed.compareAndSet(current, null);
				Ear next = this.ear;
				if (next != null && this.hearing) {
					lookAfter(next);
				}
			}
			else if (this.places.isEmpty() || !this.hearing) {
				lookLater(current);
			}
			else {
				this.probe.look(() -> {
					logger.info("The subscription in the Redis of the locks hears nothing; it is made anew");
					reconnect();
				}, () -> lookLater(current));
			}
		});
	}

	/**
	 * Take note that an ear hears nothing any more; listen again if somebody waits.
	 */
	void ended(Ear ended, @Nullable Throwable fault) {
		if (!end(ended, fault) || fault == null) {
			return;
		}
		if (RedisFaults.isUnsupported(fault)) {
			if (!this.warned.getAndSet(true)) {
				logger.info("Connections to static replicas can't subscribe; waiters for locks in Redis poll");
			}
			asked().forEach((heard) -> heard.complete(false));
		}
		else if (RedisFaults.isRefusedForGood(fault)) {
			LockRefusedException refusal = ScriptFaults.refusedSubscription(fault, this.channel, this.user);
			if (!this.warned.getAndSet(true)) {
				logger.warn("Releases of locks in Redis are not heard of, and waiters poll: {}", refusal.getMessage());
			}
			asked().forEach((heard) -> heard.completeExceptionally(refusal));
		}
	}

	private synchronized boolean end(Ear ended, @Nullable Throwable fault) {
		if (this.ear != ended) {
			return false;
		}
		this.ear = null;
		this.hearing = false;
		logger.debug("Nobody tells of releases of locks in Redis; waiters poll", fault);
		if (!this.closed && !this.places.isEmpty()) {
			this.scheduled = true;
			this.clock.schedule(RETRY, this::open);
		}
		return true;
	}

	/**
	 * End the subscription.
	 * @param timeout how long to wait for that
	 */
	void close(Duration timeout) {
		Ear current;
		synchronized (this) {
			this.closed = true;
			current = this.ear;
			this.ear = null;
			this.hearing = false;
		}
		if (current != null) {
			end(current);
		}
		this.listeners.shutdown();
		RedisThreads.awaitEnd(this.listeners, timeout);
	}

	private void end(Ear current) {
		try {
			this.listeners.execute(current::close);
		}
		catch (RejectedExecutionException ex) {
			// Closed meanwhile.
			current.close();
		}
	}

	/**
	 * One waiter's place.
	 */
	final class Place {

		private final String lock;

		private final Runnable wakeUp;

		Place(String lock, Runnable wakeUp) {
			this.lock = lock;
			this.wakeUp = wakeUp;
		}

		private void wake() {
			this.wakeUp.run();
		}

		void leave() {
			Signals.this.places.computeIfPresent(this.lock, (name, all) -> {
				all.remove(this);
				return all.isEmpty() ? null : all;
			});
			Ear current = Signals.this.ear;
			if (current != null) {
				current.setUsed();
			}
		}

	}

}
