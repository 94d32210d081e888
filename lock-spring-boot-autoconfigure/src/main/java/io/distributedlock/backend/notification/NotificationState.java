package io.distributedlock.backend.notification;

/**
 * Whether waiters are notified when their lock is released. Public for the stores only.
 *
 * @since 0.1.0
 */
public enum NotificationState {

	/**
	 * Waiters are never notified. They poll, and a mark would be useless.
	 */
	UNSUPPORTED,

	/**
	 * Waiters are not notified yet. They poll, and are woken as soon as notifications
	 * become reliable.
	 */
	PENDING,

	/**
	 * Waiters are notified of every release from now on.
	 */
	RELIABLE

}
