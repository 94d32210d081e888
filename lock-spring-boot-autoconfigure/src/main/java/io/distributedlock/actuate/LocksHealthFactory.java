package io.distributedlock.actuate;

import java.time.Duration;
import java.util.concurrent.Executor;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.health.contributor.HealthIndicator;

import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.StoreMonitor;

/**
 * Creates the health indicators of stores.
 *
 * @param clock the source of time
 * @param mode when stores are probed
 * @param interval how long an acquisition or the result of a probe shows the health
 * @param latencyThreshold the time for a grant above which the status is {@code SLOW}
 * @param timeout how long a caller waits for a probe, or {@code null} for the timeout of
 * one call to the store
 * @since 0.1.0
 */
public record LocksHealthFactory(LockClock clock, ProbeMode mode, Duration interval, Duration latencyThreshold,
		@Nullable Duration timeout) {

	/**
	 * Create an indicator.
	 * @param store the monitor of the store
	 * @param executor runs calls of the store that may block
	 * @return the indicator
	 */
	public HealthIndicator indicator(StoreMonitor store, Executor executor) {
		Duration bound = (this.timeout != null) ? this.timeout : store.callTimeout();
		return new LockStoreHealthIndicator(store, new StoreProbe(store, this.clock, executor, this.interval, bound),
				this.mode, this.interval, this.latencyThreshold);
	}

}
