package io.distributedlock.backend.notification;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * A subscription that was confirmed. Its methods do not block. Public for the stores
 * only.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface ReleaseSubscription {

	/**
	 * Ask for a sign of life over the connection of the subscription.
	 * @return completed when it came; completed exceptionally if the subscription is
	 * broken. The caller bounds the wait
	 */
	default CompletionStage<Void> check() {
		return CompletableFuture.completedStage(null);
	}

	/**
	 * End a subscription that has fallen silent, without waiting for the server.
	 * @return whether it goes on by itself: then the listener learns that it was
	 * subscribed again, or has ended
	 */
	default boolean reset() {
		close();
		return false;
	}

	/**
	 * End the subscription. Called once.
	 */
	void close();

}
