package io.distributedlock.autoconfigure;

import java.time.Duration;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.distributedlock.LockException;
import io.distributedlock.LockInterruptedException;
import io.distributedlock.LockRefusedException;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.engine.LockEngine;
import io.distributedlock.engine.StoreCheck;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.QuarantineException;

/**
 * Waits until a store is ready for locks, and logs what it waits for. It has a timeout of
 * its own, because the first connection of a cold process may take longer than any later
 * call.
 */
class StartupCheck {

	private static final Logger logger = LoggerFactory.getLogger(StartupCheck.class);

	private static final Duration LONGEST_CALL = Duration.ofSeconds(10);

	private static final Duration PAUSE = Duration.ofMillis(200);

	private static final Duration PROGRESS = Duration.ofSeconds(5);

	private final LockEngine engine;

	private final StoreCheck check;

	private final Extent extent;

	private final Duration timeout;

	private final LockClock clock;

	/**
	 * Create a check.
	 * @param engine the engine of the store, which runs during the check
	 * @param extent what to check
	 * @param timeout how long to wait for a store that is not ready
	 * @param clock the time
	 */
	StartupCheck(LockEngine engine, Extent extent, Duration timeout, LockClock clock) {
		this.engine = engine;
		this.check = new StoreCheck(engine);
		this.extent = extent;
		this.timeout = timeout;
		this.clock = clock;
	}

	/**
	 * Check the store until it passes. A store in quarantine passes, because it is
	 * reachable and grants leases again by itself.
	 * @throws LockException if the store does not pass in time, or can't
	 */
	void run() {
		long begin = this.clock.nanoTime();
		long told = begin;
		Duration call = this.engine.settings().callTimeout();
		for (int attempt = 1;; attempt++) {
			try {
				once(call);
				if (attempt > 1) {
					logger.info("The store {} is ready for locks", this.engine.description());
				}
				return;
			}
			catch (QuarantineException ex) {
				logger.warn("The store {} is there, but grants no locks for up to {}: {}", this.engine.description(),
						ex.remaining(), ex.getMessage());
				return;
			}
			catch (LockRefusedException ex) {
				throw ex;
			}
			catch (LockUnavailableException ex) {
				long now = this.clock.nanoTime();
				Duration left = this.timeout.minusNanos(now - begin);
				if (left.compareTo(PAUSE) <= 0 || !this.engine.isRunning()) {
					throw ex;
				}
				if (attempt == 1 || now - told >= PROGRESS.toNanos()) {
					told = now;
					logger.warn(
							"The store {} is not ready for locks yet; waiting for up to {} s more"
									+ " (lock.startup-timeout). {}",
							this.engine.description(), left.toSeconds() + 1, ex.getMessage());
				}
			}
			pause();
			// A slow store gets more time for each further call, but not for the first
			// one, because a stop waits for the call under way.
			Duration twice = call.multipliedBy(2);
			call = (twice.compareTo(LONGEST_CALL) > 0) ? LONGEST_CALL : twice;
		}
	}

	private void once(Duration call) {
		switch (this.extent) {
			case FULL -> this.check.cycle(call);
			case CONNECT -> this.check.connect(call);
			case NONE -> {
			}
		}
	}

	private void pause() {
		try {
			this.clock.sleep(PAUSE);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new LockInterruptedException(
					"The thread was interrupted while it waited for the store " + this.engine.description());
		}
	}

	/**
	 * The extent of the check.
	 */
	enum Extent {

		/**
		 * Everything that locks need, on a key of its own.
		 */
		FULL,

		/**
		 * Whether the store answers.
		 */
		CONNECT,

		/**
		 * Nothing.
		 */
		NONE

	}

}
