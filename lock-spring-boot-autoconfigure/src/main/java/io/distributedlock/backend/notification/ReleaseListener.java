package io.distributedlock.backend.notification;

/**
 * Receives what happens to one subscription, on any thread. Waiters are woken on that
 * thread. Public for the stores only.
 *
 * @since 0.1.0
 */
public interface ReleaseListener {

	/**
	 * A lock was released.
	 * @param key the key, as the waiters have named it
	 */
	void released(String key);

	/**
	 * The driver has subscribed once more, after an interruption in which releases may
	 * have been missed.
	 */
	void resubscribed();

	/**
	 * A subscription that was confirmed has ended. Repeatable, and without effect after
	 * the subscription was closed.
	 */
	void ended();

}
