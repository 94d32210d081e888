package io.distributedlock.backend.jdbc;

import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import io.distributedlock.LockUnavailableException;
import io.distributedlock.spi.AttemptOutcome;

/**
 * How one contender hears of releases: from its first busy attempt that waits until its
 * grant or its withdrawal.
 */
final class WakeUp {

	private final String key;

	private final Runnable action;

	private final Supplier<Operation> operation;

	// All fields below are guarded by this object's monitor.
	private Signals.@Nullable Subscription subscription;

	private @Nullable CrowdPolling crowd;

	private CrowdPolling.@Nullable Watch watch;

	private boolean over;

	WakeUp(String key, Runnable action, Supplier<Operation> operation) {
		this.key = key;
		this.action = action;
		this.operation = operation;
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
		try {
			Signals signals = this.operation.get().signals();
			if (this.subscription == null) {
				this.subscription = signals.subscribe((String) table.source().key(this.key), this.action);
			}
			return signals.hearing();
		}
		catch (LockUnavailableException ex) {
			return Hearing.NONE;
		}
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
		try {
			Operation current = this.operation.get();
			if (connection.table().dialect().has(Dialect.Trait.NOTIFICATIONS)
					&& current.signals().hearing() != Hearing.NONE) {
				return busy;
			}
			unwatch();
			this.crowd = current.polling();
			this.watch = this.crowd.watch(this, this.key, busy.pollAfter(), this.action);
			return (this.watch != null) ? new AttemptOutcome.Busy(busy.retryAfter(), CrowdPolling.LATEST) : busy;
		}
		catch (LockUnavailableException ex) {
			return busy;
		}
	}

	private void unwatch() {
		if (this.crowd != null && this.watch != null) {
			this.crowd.unwatch(this.watch);
			this.watch = null;
		}
	}

	synchronized void end() {
		this.over = true;
		unwatch();
		if (this.crowd != null) {
			this.crowd.leave(this);
			this.crowd = null;
		}
		Signals.Subscription current = this.subscription;
		this.subscription = null;
		if (current != null) {
			current.close();
		}
	}

}
