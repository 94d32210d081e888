package io.distributedlock.backend.redlock;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.distributedlock.LockRefusedException;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.backend.notification.NotificationSource;
import io.distributedlock.backend.notification.ReleaseListener;
import io.distributedlock.backend.notification.ReleaseNotifications;
import io.distributedlock.backend.notification.ReleaseSubscription;
import io.distributedlock.backend.notification.ReleaseWaiter;
import io.distributedlock.backend.notification.SubscriptionChecks;

/**
 * Subscribes to the releases that each node publishes.
 */
final class RedlockNotifications {

	private final NodeGroup nodes;

	private final ReleaseNotifications notifications;

	RedlockNotifications(NodeGroup nodes) {
		this.nodes = nodes;
		// A waiter sends nothing for seconds, so that nothing else would find out that a
		// connection has fallen silent.
		Duration patience = SessionWatch.patience(nodes.settings().callTimeout());
		List<NotificationSource> sources = nodes.links()
			.stream()
			.<NotificationSource>map((link) -> (listener) -> subscribe(link, listener))
			.toList();
		this.notifications = new ReleaseNotifications(sources, nodes.quorum(),
				new SubscriptionChecks(patience.dividedBy(2), patience), nodes.clock(), nodes.random().source());
	}

	/**
	 * Create a waiter, which has not joined yet.
	 * @param key the key of the lock
	 * @param wakeUp is run when another attempt is worth while
	 */
	ReleaseWaiter waiter(String key, Runnable wakeUp) {
		return this.notifications.waiter(key, wakeUp);
	}

	/**
	 * Find out whether releases wake waiters.
	 * @return {@code true} once they do; fails with a {@link LockRefusedException} if too
	 * many nodes do not let their user subscribe and publish
	 */
	CompletionStage<Boolean> wakeWaiters() {
		return this.notifications.awaitReliable(this.nodes.settings().callTimeout(), this::unavailable);
	}

	private LockUnavailableException unavailable(Map<Integer, LockRefusedException> refusals) {
		NodeFaults faults = new NodeFaults();
		refusals.forEach(faults::add);
		return this.nodes.unavailable("releases were to be heard of", faults);
	}

	private CompletionStage<ReleaseSubscription> subscribe(NodeLink link, ReleaseListener listener) {
		if (link.snapshot().session() == null) {
			return CompletableFuture.failedStage(link.unreachable());
		}
		return link.node()
			.subscribe(listener)
			.whenComplete((confirmed, fault) -> link.report(fault))
			.thenApply((confirmed) -> new NodeSubscription(link, confirmed));
	}

	void close() {
		this.notifications.close();
	}

	/**
	 * The subscription at one node. A check looks at the session too, over which the
	 * waiter sends its attempts.
	 */
	private record NodeSubscription(NodeLink link, ReleaseSubscription subscription) implements ReleaseSubscription {

		@Override
		public CompletionStage<Void> check() {
			this.link.probe();
			return this.subscription.check();
		}

		@Override
		public void close() {
			this.subscription.close();
		}

	}

}
