package io.distributedlock.autoconfigure;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

import io.distributedlock.InvalidLockRequestException;
import io.distributedlock.LockException;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.Locks;
import io.distributedlock.engine.LockEngine;

/**
 * Starts and stops the engine with the application: after the connections of the stores
 * are there, and before they go; leases are released while web requests, scheduled tasks
 * and leader candidates have ended already. May be started again, as contexts are that
 * are paused between tests.
 */
class LockEngineLifecycle implements SmartLifecycle {

	private static final Logger logger = LoggerFactory.getLogger(LockEngineLifecycle.class);

	/**
	 * Above the connections of stores, which are at 0 and below; far below executors, web
	 * servers and leader candidates, which are near the greatest phase there is.
	 */
	static final int PHASE = 1024;

	/**
	 * The first connection of a pool may take longer than a call may.
	 */
	private static final int ATTEMPTS = 5;

	private static final String ANY_KEY = "lock-start-check";

	private final LockEngine engine;

	private final Locks locks;

	private final boolean failFast;

	// Written and read by the thread that starts and stops the context; volatile, since a
	// context may be closed by another one than has started it.
	private volatile boolean running;

	private volatile boolean checked;

	/**
	 * Create the lifecycle.
	 * @param engine the engine
	 * @param locks asks the store
	 * @param failFast whether a store that does not answer ends the start
	 */
	LockEngineLifecycle(LockEngine engine, Locks locks, boolean failFast) {
		this.engine = engine;
		this.locks = locks;
		this.failFast = failFast;
	}

	@Override
	public void start() {
		if (!this.checked) {
			check();
			this.checked = true;
		}
		else {
			this.engine.start();
		}
		this.running = true;
	}

	/**
	 * Start, and ask the store for something that has no effect, so that a store that is
	 * not there or not set up is found now and not by the first lock.
	 */
	private void check() {
		try {
			this.engine.start();
			ask();
		}
		catch (LockException ex) {
			String store = this.engine.name();
			if (this.failFast) {
				this.engine.stop();
				// What the store itself says goes without what was around it.
				Throwable reason = (ex.getCause() instanceof LockException cause) ? cause : ex;
				throw new LockStartException("The store '" + store + "' can't keep the locks: " + reason.getMessage(),
						"Make the store ready, or set 'lock.fail-fast=false' to start without it;"
								+ " locks are unavailable until it is.",
						ex);
			}
			logger.warn("The store '{}' can't keep the locks yet; they are unavailable until it can", store, ex);
		}
	}

	private void ask() {
		for (int attempt = 1;; attempt++) {
			try {
				this.locks.find(ANY_KEY);
				return;
			}
			catch (LockUnavailableException ex) {
				if (attempt == ATTEMPTS || ex.getCause() instanceof InvalidLockRequestException) {
					throw ex;
				}
				logger.debug("The store has not answered; trying again", ex);
			}
		}
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
