package io.distributedlock.backend.jdbc;

import org.jspecify.annotations.Nullable;

import io.distributedlock.spi.AttemptOutcome;

/**
 * How one contender hears of releases: from its first busy attempt that waits until its
 * grant or its withdrawal.
 */
final class WakeUp {

	private final String key;

	private final Runnable action;

	private final Signals signals;

	private final CrowdPolling polling;

	// All fields below are guarded by this object's monitor.
	private Signals.@Nullable Subscription subscription;

	private CrowdPolling.@Nullable Watch watch;

	// Whether this contender counts as one that polls.
	private boolean crowded;

	private boolean over;

	WakeUp(String key, Runnable action, Signals signals, CrowdPolling polling) {
		this.key = key;
		this.action = action;
		this.signals = signals;
		this.polling = polling;
	}

	/**
	 * Take note of a new attempt.
	 */
	synchronized void begin() {
		this.over = false;
		unwatch();
	}

	/**
	 * Hear of releases from now on, where that is possible.
	 * @param connection a connection to the database
	 * @return whether it is
	 */
	synchronized Hearing subscribe(LockConnection connection) {
		LockTable table = connection.table();
		if (!table.dialect().has(Dialect.Trait.NOTIFICATIONS)) {
			return Hearing.NOT_YET;
		}
		if (this.over) {
			// An attempt that was overtaken: nobody would end what it begins.
			return Hearing.NONE;
		}
		if (this.subscription == null) {
			this.subscription = this.signals.subscribe((String) table.source().key(this.key), this.action);
		}
		return this.signals.hearing();
	}

	/**
	 * Poll together with others, if there are many who do.
	 * @param busy what the attempt has found
	 * @param connection the attempt's connection
	 * @return the same, and when to attempt again
	 */
	synchronized AttemptOutcome.Busy poll(AttemptOutcome.Busy busy, LockConnection connection) {
		if (this.over) {
			return busy;
		}
		if (connection.table().dialect().has(Dialect.Trait.NOTIFICATIONS) && this.signals.hearing() != Hearing.NONE) {
			return busy;
		}
		unwatch();
		this.crowded = true;
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
		if (this.crowded) {
			this.polling.leave(this);
			this.crowded = false;
		}
		Signals.Subscription current = this.subscription;
		this.subscription = null;
		if (current != null) {
			current.close();
		}
	}

}
