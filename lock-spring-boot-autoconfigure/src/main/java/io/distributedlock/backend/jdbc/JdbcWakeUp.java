package io.distributedlock.backend.jdbc;

import java.util.List;

import org.jspecify.annotations.Nullable;

import io.distributedlock.backend.notification.NotificationState;
import io.distributedlock.backend.notification.ReleaseWaiter;
import io.distributedlock.spi.AttemptOutcome;

/**
 * Wakes one contender after releases of its keys, by notifications or by polling together
 * with others. This begins with its first busy attempt that waits. It ends when the
 * contender is granted the lock, finds its tick done or is withdrawn.
 */
final class JdbcWakeUp {

	private final List<String> keys;

	private final Runnable action;

	private final PostgresNotifications notifications;

	private final CrowdPolling polling;

	// All fields below are guarded by this object's monitor.
	private List<ReleaseWaiter> waiters = List.of();

	private CrowdPolling.@Nullable Watch watch;

	private boolean over;

	JdbcWakeUp(List<String> keys, Runnable action, PostgresNotifications notifications, CrowdPolling polling) {
		this.keys = keys;
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
		List<ReleaseWaiter> joined;
		synchronized (this) {
			if (this.over) {
				// The contender has ended during the attempt, so that a subscription
				// would never end.
				return NotificationState.UNSUPPORTED;
			}
			if (this.waiters.isEmpty()) {
				this.waiters = this.keys.stream()
					.map((key) -> this.notifications.waiter((String) table.key(key), this.action))
					.toList();
			}
			joined = this.waiters;
			joined.forEach(ReleaseWaiter::join);
		}
		// Outside the monitor, because all waiters are woken here if the subscription is
		// confirmed at once.
		joined.get(0).subscribe();
		return this.notifications.state();
	}

	/**
	 * Poll together with others if many contenders wait. One that waits for several keys
	 * polls by itself, because a look at one of them is not enough.
	 * @param busy the outcome of the attempt
	 * @param connection the attempt's connection
	 * @return the same outcome with the delay before the next attempt
	 */
	synchronized AttemptOutcome.Busy poll(AttemptOutcome.Busy busy, LockConnection connection) {
		if (this.over || this.keys.size() > 1) {
			return busy;
		}
		if (connection.table().dialect().has(Dialect.Trait.NOTIFICATIONS)
				&& this.notifications.state() != NotificationState.UNSUPPORTED) {
			return busy;
		}
		unwatch();
		this.watch = this.polling.watch(this, this.keys.get(0), busy.pollAfter(), this.action);
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
		this.waiters.forEach(ReleaseWaiter::leave);
	}

}
