package io.distributedlock.engine;

import java.time.Duration;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.distributedlock.LockRefusedException;
import io.distributedlock.spi.LockClock;

/**
 * Logs permanent refusals of a store, so that administrators see the missing right and
 * not only its consequences. The same refusal is logged at most once a minute.
 */
final class RefusalLog {

	private static final Logger logger = LoggerFactory.getLogger(RefusalLog.class);

	private static final long INTERVAL = Duration.ofMinutes(1).toNanos();

	private final BackendLabel backend;

	private final LockClock clock;

	// Guarded by the monitor, like the time below.
	private @Nullable String lastMessage;

	private long lastAt;

	RefusalLog(BackendLabel backend, LockClock clock) {
		this.backend = backend;
		this.clock = clock;
	}

	/**
	 * Log a failure of the store if it is a permanent refusal.
	 * @param call the refused call
	 */
	void report(String call, Throwable failure) {
		if (failure instanceof LockRefusedException && isNews(call + failure.getMessage())) {
			logger.error("The backend {} refuses {}, and will do so until it is changed", this.backend.withAddress(),
					call, failure);
		}
	}

	private synchronized boolean isNews(String message) {
		long now = this.clock.nanoTime();
		if (message.equals(this.lastMessage) && now - this.lastAt < INTERVAL) {
			return false;
		}
		this.lastMessage = message;
		this.lastAt = now;
		return true;
	}

}
