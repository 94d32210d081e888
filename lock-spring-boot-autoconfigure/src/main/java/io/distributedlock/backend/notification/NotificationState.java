package io.distributedlock.backend.notification;

/**
 * Whether waiters are notified when their lock is released. Public for the stores only.
 *
 * @since 0.1.0
 */
public enum NotificationState {

	/**
	 * Waiters are never notified: they poll, and a mark would be of no use.
	 */
	UNSUPPORTED,

	/**
	 * Waiters are not notified yet: they poll, and are woken as soon as they are.
	 */
	PENDING,

	/**
	 * Waiters are notified of every release from now on.
	 */
	RELIABLE

}
