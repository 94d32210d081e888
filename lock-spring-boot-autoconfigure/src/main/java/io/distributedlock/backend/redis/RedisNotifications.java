package io.distributedlock.backend.redis;

import java.time.Duration;
import java.util.List;
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
	 * How long a subscription may be silent before it is checked, or unconfirmed before
	 * its connection is replaced. A check publishes a message to all subscribers, so that
	 * of many clients hardly more than one sends it.
	 */
	static final Duration QUIET = Duration.ofSeconds(5);

	private final RedisLink link;

	private final RedisRequests requests;

	private final ScriptFaults faults;

	private final LockClock clock;

	private final AtomicBoolean warned = new AtomicBoolean();

	// A driver that blocks keeps one of these threads. Ending a subscription takes as
	// long as the driver waits for a server that is gone. Neither may delay a timer, a
	// stop or the next subscription.
	private final ExecutorService threads = StoreThreads.named("lock-redis-signals", 8);

	private volatile @Nullable RedisSubscription latest;

	private final ReleaseNotifications notifications;

	/**
	 * Create notifications.
	 * @param link the link to the server
	 * @param requests encodes the calls
	 * @param faults explains refusals of the server
	 * @param clock the clock of this JVM
	 */
	RedisNotifications(RedisLink link, RedisRequests requests, ScriptFaults faults, LockClock clock) {
		this.link = link;
		this.requests = requests;
		this.faults = faults;
		this.clock = clock;
		// A call publishes the message of a check, and the message then has the same time
		// to arrive.
		this.notifications = new ReleaseNotifications(this::subscribe,
				new SubscriptionChecks(QUIET, requests.callTimeout().multipliedBy(2)), clock);
	}

	/**
	 * Create a waiter, which has not joined yet.
	 * @param locks the names of the locks, as releases publish them
	 * @param wakeUp is run when another attempt may succeed
	 */
	ReleaseWaiter waiter(List<String> locks, Runnable wakeUp) {
		return this.notifications.waiter(locks, wakeUp);
	}

	/**
	 * Find out whether releases wake waiters. They do if there is a subscription and the
	 * server accepts a message.
	 * @return {@code false} if the application's connections can't subscribe; completed
	 * exceptionally if the server refuses either step, or if it takes too long
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
				logger.warn("Waiters for locks in Redis are not notified of releases, and poll: {}",
						refusal.getMessage());
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
			// The notifications do not know a subscription that is not confirmed yet.
			current.close();
		}
		this.threads.shutdown();
		StoreThreads.awaitEnd(this.threads, timeout);
	}

}
