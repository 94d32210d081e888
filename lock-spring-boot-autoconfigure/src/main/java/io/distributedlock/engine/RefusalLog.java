package io.distributedlock.engine;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

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

	// The latest by the kind of call, of which there are few. Guarded by the monitor.
	private final Map<String, Refusal> latest = new HashMap<>();

	RefusalLog(BackendLabel backend, LockClock clock) {
		this.backend = backend;
		this.clock = clock;
	}

	/**
	 * Log a failure of the store if it is a permanent refusal.
	 * @param call the refused call
	 */
	void report(String call, Throwable failure) {
		if (failure instanceof LockRefusedException && isNews(call, failure.getMessage())) {
			logger.error("The backend {} refuses {}, and will do so until it is changed", this.backend.withAddress(),
					call, failure);
		}
	}

	private synchronized boolean isNews(String call, @Nullable String message) {
		long now = this.clock.nanoTime();
		Refusal before = this.latest.get(call);
		if (before != null && Objects.equals(message, before.message()) && now - before.at() < INTERVAL) {
			return false;
		}
		this.latest.put(call, new Refusal(message, now));
		return true;
	}

	/**
	 * A refusal that was logged.
	 */
	private record Refusal(@Nullable String message, long at) {
	}

}
