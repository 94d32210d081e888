package io.distributedlock.backend.notification;

import java.util.concurrent.CompletionStage;

/**
 * One server that publishes the releases of locks. Public for the stores only.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface NotificationSource {

	/**
	 * Subscribe to releases, by one try that ends in bounded time. Does not block.
	 * @param listener receives the releases, from the confirmation on at the latest
	 * @return the subscription, once the server has confirmed it; completed exceptionally
	 * with a {@link io.distributedlock.LockRefusedException} if a right is missing, with
	 * an {@link UnsupportedOperationException} if another try is of no use, and with
	 * anything else if the next one may succeed. An exception that is thrown counts as
	 * well
	 */
	CompletionStage<ReleaseSubscription> subscribe(ReleaseListener listener);

}
