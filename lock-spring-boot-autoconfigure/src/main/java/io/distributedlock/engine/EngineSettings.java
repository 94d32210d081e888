package io.distributedlock.engine;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * The defaults of requests, and the bounds of the engine's own work.
 *
 * @param ttl the TTL of a lease
 * @param waitTime the wait time of {@code acquire} and {@code execute}
 * @param maxHold the maximum hold, or {@code null} for none
 * @param callTimeout the bound of one request to the store; a third of the TTL if that is
 * shorter
 * @param stopTimeout the longest time for which a stop waits for releases
 * @param handOver the bounds of handing a lease over inside this JVM
 * @since 0.1.0
 */
public record EngineSettings(Duration ttl, Duration waitTime, @Nullable Duration maxHold, Duration callTimeout,
		Duration stopTimeout, HandOverSettings handOver) {

	/**
	 * The settings of an application without configuration.
	 */
	public static final EngineSettings DEFAULTS = new EngineSettings(Duration.ofSeconds(30), Duration.ofSeconds(10),
			null, Duration.ofSeconds(2), Duration.ofSeconds(5), HandOverSettings.DEFAULTS);

	Duration callTimeout(Duration leaseTtl) {
		// Duration divides by way of BigDecimal, and each request would pay for it.
		Duration third = Duration.ofNanos(leaseTtl.toNanos() / 3);
		return (third.compareTo(this.callTimeout) < 0) ? third : this.callTimeout;
	}

}
