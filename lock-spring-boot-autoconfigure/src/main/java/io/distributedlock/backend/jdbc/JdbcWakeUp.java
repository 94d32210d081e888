package io.distributedlock.backend.jdbc;

import org.jspecify.annotations.Nullable;

import io.distributedlock.backend.notification.NotificationState;
import io.distributedlock.backend.notification.ReleaseWaiter;
import io.distributedlock.spi.AttemptOutcome;

/**
 * Wakes one contender after releases, by notifications or by polling together with
 * others. This begins with its first busy attempt that waits. It ends when the contender
 * is granted the lock, finds its tick done or is withdrawn.
 */
final class JdbcWakeUp {

	private final String key;

	private final Runnable action;

	private final PostgresNotifications notifications;

	private final CrowdPolling polling;

	// All fields below are guarded by this object's monitor.
	private @Nullable ReleaseWaiter waiter;

	private CrowdPolling.@Nullable Watch watch;

	private boolean over;

	JdbcWakeUp(String key, Runnable action, PostgresNotifications notifications, CrowdPolling polling) {
		this.key = key;
		this.action = action;
		this.notifications = notifications;
		this.polling = polling;
	}

	/**
	 * Prepare for a new attempt.
	 */
	synchronized void begin() {
		this.over = false;
		unwatch();
	}

	/**
	 * Join the waiters that are notified of releases, if the database supports it.
	 * @param connection a connection to the database
	 * @return whether the contender is notified
	 */
	NotificationState subscribe(LockConnection connection) {
		LockTable table = connection.table();
		if (!table.dialect().has(Dialect.Trait.NOTIFICATIONS)) {
			return NotificationState.PENDING;
		}
		ReleaseWaiter joined;
		synchronized (this) {
			if (this.over) {
				// The contender has ended during the attempt, so that a subscription
				// would never end.
				return NotificationState.UNSUPPORTED;
			}
			if (this.waiter == null) {
				this.waiter = this.notifications.waiter((String) table.key(this.key), this.action);
			}
			joined = this.waiter;
			joined.join();
		}
		// Outside the monitor, because all waiters are woken here if the subscription is
		// confirmed at once.
		joined.subscribe();
		return this.notifications.state();
	}

	/**
	 * Poll together with others if many contenders wait.
	 * @param busy the outcome of the attempt
	 * @param connection the attempt's connection
	 * @return the same outcome with the delay before the next attempt
	 */
	synchronized AttemptOutcome.Busy poll(AttemptOutcome.Busy busy, LockConnection connection) {
		if (this.over) {
			return busy;
		}
		if (connection.table().dialect().has(Dialect.Trait.NOTIFICATIONS)
				&& this.notifications.state() != NotificationState.UNSUPPORTED) {
			return busy;
		}
		unwatch();
		this.watch = this.polling.watch(this, this.key, busy.pollAfter(), this.action);
		return (this.watch != null) ? new AttemptOutcome.Busy(busy.retryAfter(), CrowdPolling.LATEST) : busy;
	}

	private void unwatch() {
		if (this.watch != null) {
			this.polling.unwatch(this.watch);
			this.watch = null;
		}
	}

	synchronized void end() {
		this.over = true;
		unwatch();
		this.polling.leave(this);
		if (this.waiter != null) {
			this.waiter.leave();
		}
	}

}
