package io.distributedlock.backend.jdbc;

import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import io.distributedlock.LockUnavailableException;

/**
 * How one contender hears of releases: from its first busy attempt that waits until its
 * grant or its withdrawal.
 */
final class WakeUp {

	private final String key;

	private final Runnable action;

	private final Supplier<Operation> operation;

	// Both fields are guarded by this object's monitor.
	private Signals.@Nullable Subscription subscription;

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

	synchronized void end() {
		this.over = true;
		Signals.Subscription current = this.subscription;
		this.subscription = null;
		if (current != null) {
			current.close();
		}
	}

}
