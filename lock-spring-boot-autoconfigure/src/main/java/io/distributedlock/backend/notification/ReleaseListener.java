package io.distributedlock.backend.notification;

/**
 * Receives the events of one subscription, on any thread. Waiters are woken on that
 * thread. Public for the stores only.
 *
 * @since 0.1.0
 */
public interface ReleaseListener {

	/**
	 * A lock was released.
	 * @param key the key, as the waiters name it
	 */
	void released(String key);

	/**
	 * The driver has subscribed again after an interruption. Releases may have been
	 * missed meanwhile.
	 */
	void resubscribed();

	/**
	 * A confirmed subscription has ended. May be called repeatedly, and has no effect
	 * after the subscription was closed.
	 */
	void ended();

}
