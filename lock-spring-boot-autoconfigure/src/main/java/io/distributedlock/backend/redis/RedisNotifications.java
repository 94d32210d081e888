package io.distributedlock.backend.redis;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.atomic.AtomicBoolean;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.distributedlock.LockRefusedException;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.backend.StoreThreads;
import io.distributedlock.backend.notification.ReleaseListener;
import io.distributedlock.backend.notification.ReleaseNotifications;
import io.distributedlock.backend.notification.ReleaseSubscription;
import io.distributedlock.backend.notification.ReleaseWaiter;
import io.distributedlock.backend.notification.SubscriptionChecks;
import io.distributedlock.spi.LockClock;

/**
 * Subscribes to the one channel on which the releases of all keys of a prefix are
 * published.
 */
final class RedisNotifications {

	private static final Logger logger = LoggerFactory.getLogger(RedisNotifications.class);

	/**
	 * How long a subscription may be silent, or unconfirmed, before it is checked. The
	 * check is a message to all who have subscribed, so that of many clients hardly more
	 * than one sends it.
	 */
	static final Duration QUIET = Duration.ofSeconds(5);

	private final RedisLink link;

	private final RedisRequests requests;

	private final ScriptFaults faults;

	private final LockClock clock;

	private final AtomicBoolean warned = new AtomicBoolean();

	// One may be kept by a driver that blocks, and to end a subscription takes as long as
	// the driver waits for a server that is gone: none of them may keep a timer, a stop
	// or the next one.
	private final ExecutorService threads = StoreThreads.named("lock-redis-signals", 8);

	private volatile @Nullable RedisSubscription latest;

	private final ReleaseNotifications notifications;

	/**
	 * Create notifications.
	 * @param link the way to the server
	 * @param requests encodes what is asked of it
	 * @param faults explains what the server refuses
	 * @param clock the clock of this JVM
	 */
	RedisNotifications(RedisLink link, RedisRequests requests, ScriptFaults faults, LockClock clock) {
		this.link = link;
		this.requests = requests;
		this.faults = faults;
		this.clock = clock;
		// The message of a check is sent by a call, and then has as long to arrive.
		this.notifications = new ReleaseNotifications(this::subscribe,
				new SubscriptionChecks(QUIET, requests.callTimeout().multipliedBy(2)), clock);
	}

	/**
	 * Create a waiter, which has not joined yet.
	 * @param lock the name of the lock, as releases publish it
	 * @param wakeUp is run when another attempt is worth while
	 */
	ReleaseWaiter waiter(String lock, Runnable wakeUp) {
		return this.notifications.waiter(lock, wakeUp);
	}

	/**
	 * Find out whether releases wake waiters: there is a subscription, and the server
	 * takes a message.
	 * @return {@code false} if the application's connections can't subscribe; completed
	 * exceptionally if that is refused or takes too long
	 */
	CompletionStage<Boolean> wakeWaiters() {
		return this.notifications.awaitReliable(this.requests.callTimeout(), this::unavailable)
			.thenCompose((subscribed) -> subscribed ? probe().thenApply((sent) -> true)
					: CompletableFuture.completedFuture(false));
	}

	/**
	 * Publish a message that names no lock.
	 */
	private CompletionStage<?> probe() {
		return this.link.run(this.requests.probe(), this.requests.callTimeout());
	}

	private LockUnavailableException unavailable(Map<Integer, LockRefusedException> refusals) {
		LockRefusedException refusal = refusals.get(0);
		return (refusal != null) ? refusal
				: new LockUnavailableException("The subscription to the releases of locks in Redis was not confirmed"
						+ " within " + this.requests.callTimeout().toMillis() + " ms");
	}

	private CompletionStage<ReleaseSubscription> subscribe(ReleaseListener listener) {
		RedisSubscription next = new RedisSubscription(listener, this.requests.keys().channel(),
				this.link::breakSubscription, this::probe, this.threads, this.clock);
		this.latest = next;
		this.threads.execute(() -> next.open(() -> this.link.subscriptionConnection(this.requests.callTimeout())));
		LockClock.Timeout overdue = this.clock.schedule(QUIET, next::reconnect);
		return next.confirmed().handle((subscription, fault) -> {
			overdue.cancel();
			if (fault != null) {
				throw explain(fault);
			}
			return subscription;
		});
	}

	private RuntimeException explain(Throwable fault) {
		if (RedisFaults.isUnsupported(fault)) {
			if (!this.warned.getAndSet(true)) {
				logger.info("Connections to static replicas can't subscribe; waiters for locks in Redis poll");
			}
			return new UnsupportedOperationException(fault);
		}
		if (RedisFaults.isRefusedForGood(fault)) {
			LockRefusedException refusal = this.faults.refusedSubscription(fault);
			if (!this.warned.getAndSet(true)) {
				logger.warn("Releases of locks in Redis are not heard of, and waiters poll: {}", refusal.getMessage());
			}
			return refusal;
		}
		return RedisFaults.explain(fault);
	}

	/**
	 * Connect again, because another connection to the server was found to be silent.
	 */
	void reconnect() {
		RedisSubscription current = this.latest;
		if (current != null) {
			current.reconnect();
		}
	}

	/**
	 * End the subscription.
	 * @param timeout how long to wait for that
	 */
	void close(Duration timeout) {
		this.notifications.close();
		RedisSubscription current = this.latest;
		if (current != null) {
			// One that is not confirmed yet is not known to the notifications.
			current.close();
		}
		this.threads.shutdown();
		StoreThreads.awaitEnd(this.threads, timeout);
	}

}
