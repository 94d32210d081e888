package io.distributedlock.engine;

import java.time.Duration;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.distributedlock.spi.LockClock;

/**
 * Logs that a store does not answer: the beginning, a summary a minute, and the end.
 * Calls that fail in between are counted and not logged.
 */
final class OutageLog {

	private static final Logger logger = LoggerFactory.getLogger(OutageLog.class);

	private static final long INTERVAL = Duration.ofMinutes(1).toNanos();

	private final BackendLabel backend;

	private final LockClock clock;

	// Written under the monitor; read without it by each answered call.
	private volatile @Nullable Outage outage;

	OutageLog(BackendLabel backend, LockClock clock) {
		this.backend = backend;
		this.clock = clock;
	}

	/**
	 * Return whether an outage is being logged. Consequences are then logged as debug.
	 */
	boolean isUnderWay() {
		return this.outage != null;
	}

	/**
	 * Report that the store has not answered a call.
	 */
	void failed(Throwable cause) {
		long now = this.clock.nanoTime();
		Outage begun = null;
		Outage summary = null;
		synchronized (this) {
			Outage current = this.outage;
			if (current == null) {
				begun = new Outage(now);
				this.outage = begun;
				current = begun;
			}
			current.failures++;
			if (now - current.loggedAt >= INTERVAL) {
				current.loggedAt = now;
				summary = current;
			}
		}
		if (begun != null) {
			logger.warn("The store {} does not answer: {}. Further failures are summed up once a minute",
					this.backend.withAddress(), cause.toString());
		}
		else if (summary != null) {
			logger.warn("The store {} has not answered for {} s: {} calls failed, the latest with {}",
					this.backend.withAddress(), summary.seconds(now), summary.failures, cause.toString());
		}
	}

	/**
	 * Report that the store has answered a call.
	 */
	void answered() {
		if (this.outage == null) {
			return;
		}
		Outage over;
		synchronized (this) {
			over = this.outage;
			this.outage = null;
		}
		if (over != null) {
			logger.info("The store {} answers again after {} s, in which {} calls failed", this.backend.withAddress(),
					over.seconds(this.clock.nanoTime()), over.failures);
		}
	}

	/**
	 * An outage. Guarded by the monitor of the log.
	 */
	private static final class Outage {

		private final long begin;

		private long loggedAt;

		private long failures;

		Outage(long begin) {
			this.begin = begin;
			this.loggedAt = begin;
		}

		long seconds(long now) {
			return Duration.ofNanos(now - this.begin).toSeconds();
		}

	}

}
