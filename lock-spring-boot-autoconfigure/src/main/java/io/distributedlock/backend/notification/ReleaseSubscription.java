package io.distributedlock.backend.notification;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * A confirmed subscription. Its methods do not block. Public for the stores only.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface ReleaseSubscription {

	/**
	 * Ask for a sign of life over the connection of the subscription.
	 * @return completed when the sign of life has arrived. Completed exceptionally if the
	 * subscription is broken. The caller bounds the wait
	 */
	default CompletionStage<Void> check() {
		return CompletableFuture.completedStage(null);
	}

	/**
	 * End a subscription that has fallen silent, without waiting for the server.
	 * @return {@code true} if the subscription recovers or ends by itself. The listener
	 * is then notified of the new subscription or of the end
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
