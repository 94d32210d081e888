package io.distributedlock.backend.redlock;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.distributedlock.backend.notification.NotificationSource;
import io.distributedlock.backend.notification.ReleaseListener;
import io.distributedlock.backend.notification.ReleaseSubscription;

/**
 * Subscribes to the releases that one node publishes.
 *
 * @param link the node
 */
record NodeReleases(NodeLink link) implements NotificationSource {

	@Override
	public CompletionStage<ReleaseSubscription> subscribe(ReleaseListener listener) {
		if (this.link.snapshot().session() == null) {
			return CompletableFuture.failedStage(this.link.unreachable());
		}
		return this.link.node()
			.subscribe(listener)
			.whenComplete((confirmed, fault) -> this.link.report(fault))
			.thenApply((confirmed) -> new NodeSubscription(this.link, confirmed));
	}

	/**
	 * The subscription at one node. A check also probes the session, on which waiters
	 * send their attempts.
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
