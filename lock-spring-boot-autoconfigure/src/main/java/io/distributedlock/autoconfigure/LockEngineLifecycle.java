package io.distributedlock.autoconfigure;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

import io.distributedlock.LockException;
import io.distributedlock.LockRefusedException;
import io.distributedlock.engine.LockEngine;
import io.distributedlock.epoch.TokenEpochException;

/**
 * Starts and stops the engine with the application. It starts after the connections of
 * the stores and stops before them. Leases are released after web requests, scheduled
 * tasks and leader candidates have ended. May be started again, for example if a context
 * is paused between tests.
 */
class LockEngineLifecycle implements SmartLifecycle {

	private static final Logger logger = LoggerFactory.getLogger(LockEngineLifecycle.class);

	/**
	 * Above the connections of stores, which are at 0 and below. Far below executors, web
	 * servers and leader candidates, which are near the greatest phase.
	 */
	static final int PHASE = 1024;

	private final LockEngine engine;

	private final StartupCheck check;

	private final boolean failFast;

	// Written and read by the thread that starts or stops the context. Volatile, because
	// different threads may start and close a context.
	private volatile boolean running;

	private volatile boolean checked;

	/**
	 * Create the lifecycle.
	 * @param engine the engine
	 * @param check checks its store at the first start
	 * @param failFast whether startup fails if the store does not pass; otherwise it is
	 * checked in the background
	 */
	LockEngineLifecycle(LockEngine engine, StartupCheck check, boolean failFast) {
		this.engine = engine;
		this.check = check;
		this.failFast = failFast;
	}

	@Override
	public void start() {
		if (this.checked) {
			this.engine.start();
		}
		else if (this.failFast) {
			startOrFail();
			new StartupReport(this.engine).log();
		}
		else {
			startInAnyCase();
		}
		this.checked = true;
		this.running = true;
	}

	private void startOrFail() {
		try {
			this.engine.start();
			this.check.run();
		}
		catch (LockException ex) {
			// Read the address before the stop, because a stopped client may no longer
			// know it.
			String store = this.engine.description();
			this.engine.stop();
			throw new LockStartException("The store " + store + " can't keep the locks: " + ex.getMessage(), action(ex),
					ex);
		}
		catch (RuntimeException ex) {
			this.engine.stop();
			throw ex;
		}
	}

	private void startInAnyCase() {
		try {
			this.engine.start();
			this.engine.callbacks().execute(this::checkInBackground);
		}
		catch (LockException ex) {
			warn(ex);
		}
	}

	private void checkInBackground() {
		try {
			this.check.run();
			new StartupReport(this.engine).log();
		}
		catch (RuntimeException ex) {
			if (this.engine.isRunning()) {
				warn(ex);
			}
		}
	}

	private void warn(RuntimeException ex) {
		logger.warn("The store {} can't keep the locks yet; they are unavailable until it can: {}",
				this.engine.description(), ex.getMessage(), ex);
	}

	private static String action(LockException ex) {
		if (ex.getCause() instanceof TokenEpochException refused) {
			return "Set 'lock.token-epoch=" + refused.storeEpoch()
					+ "' for this instance too, or a greater epoch for all"
					+ " instances: the epoch of a store never goes down.";
		}
		return (ex instanceof LockRefusedException)
				? "Let the store do this, or set 'lock.startup-check=connect' to start without that check;"
						+ " locks do not work as they should until it does."
				: "Make the store ready, or set 'lock.fail-fast=false' to start without it;"
						+ " locks are unavailable until it is. 'lock.startup-timeout' says how long a start waits"
						+ " for a store.";
	}

	@Override
	public void stop() {
		this.running = false;
		this.engine.stop();
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	@Override
	public int getPhase() {
		return PHASE;
	}

}
