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
	 * Try once to subscribe to releases. The try ends in bounded time and does not block.
	 * @param listener receives the releases, at the latest from the confirmation on
	 * @return the subscription, once the server has confirmed it. Completed exceptionally
	 * with a {@link io.distributedlock.LockRefusedException} if a right is missing, with
	 * an {@link UnsupportedOperationException} if no later try can succeed, and with any
	 * other exception if the next try may succeed. An exception that is thrown has the
	 * same meaning
	 */
	CompletionStage<ReleaseSubscription> subscribe(ReleaseListener listener);

}
