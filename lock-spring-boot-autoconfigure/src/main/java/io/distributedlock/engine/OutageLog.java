package io.distributedlock.engine;

import java.time.Duration;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.distributedlock.spi.LockClock;

/**
 * Logs that a store does not answer: the beginning, a summary a minute, and the end.
 * Calls that fail in between are counted and not logged.
 * <p>
 * An outage ends when the store has answered, and no call has failed for a while after
 * that. Calls that were sent during an outage still fail after its end, and at its
 * beginning some are still answered. None of them is another outage.
 */
final class OutageLog {

	private static final Logger logger = LoggerFactory.getLogger(OutageLog.class);

	private static final long INTERVAL = Duration.ofMinutes(1).toNanos();

	/**
	 * Longer than calls usually take until they fail.
	 */
	private static final Duration CALM = Duration.ofSeconds(3);

	private final BackendLabel backend;

	private final LockClock clock;

	// Written under the monitor; read without it by each answered call.
	private volatile @Nullable Outage outage;

	// Whether the end of the outage is going to be checked. Guarded by the monitor.
	private boolean ending;

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
			current.answered = false;
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
		synchronized (this) {
			Outage current = this.outage;
			if (current == null || current.answered) {
				return;
			}
			current.answered = true;
			current.answeredAt = this.clock.nanoTime();
			if (this.ending) {
				return;
			}
			this.ending = true;
		}
		this.clock.schedule(CALM, this::endIfCalm);
	}

	private void endIfCalm() {
		Outage over = endedOutage();
		if (over != null) {
			logger.info("The store {} answers again after {} s, in which {} calls failed", this.backend.withAddress(),
					over.seconds(over.answeredAt), over.failures);
		}
	}

	/**
	 * End the outage, or look again later.
	 */
	private synchronized @Nullable Outage endedOutage() {
		Outage current = this.outage;
		if (current == null || !current.answered) {
			this.ending = false;
			return null;
		}
		long left = CALM.toNanos() - (this.clock.nanoTime() - current.answeredAt);
		if (left > 0) {
			this.clock.schedule(Duration.ofNanos(left), this::endIfCalm);
			return null;
		}
		this.ending = false;
		this.outage = null;
		return current;
	}

	/**
	 * An outage. Guarded by the monitor of the log.
	 */
	private static final class Outage {

		private final long begin;

		private long loggedAt;

		private long failures;

		// Whether the store has answered since the latest failure, and when it first did.
		private boolean answered;

		private long answeredAt;

		Outage(long begin) {
			this.begin = begin;
			this.loggedAt = begin;
		}

		long seconds(long now) {
			return Duration.ofNanos(now - this.begin).toSeconds();
		}

	}

}
