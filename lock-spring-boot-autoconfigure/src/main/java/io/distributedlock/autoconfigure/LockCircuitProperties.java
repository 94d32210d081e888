package io.distributedlock.autoconfigure;

import java.time.Duration;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

import io.distributedlock.LockRequest;
import io.distributedlock.engine.CircuitSettings;

/**
 * Properties of the circuits between this instance and its stores.
 *
 * @param enabled Whether acquisitions fail immediately while a store does not answer.
 * @param failureThreshold How many attempts in a row have to fail before that.
 * @param openAfter For how long attempts have to fail before that.
 * @param probeInterval Time between two attempts that probe the store meanwhile.
 */
@ConfigurationProperties("lock.circuit")
record LockCircuitProperties(@DefaultValue("false") boolean enabled, @DefaultValue("5") int failureThreshold,
		@DefaultValue("5s") Duration openAfter, @DefaultValue("1s") Duration probeInterval) {

	private static final DurationBounds BOUNDS = new DurationBounds(Duration.ZERO, LockRequest.MAX_HOLD_TIME);

	/**
	 * Return the settings.
	 * @param callTimeout the timeout of one call to the store
	 */
	CircuitSettings toSettings(Duration callTimeout) {
		if (this.failureThreshold < 1) {
			throw new InvalidConfigurationPropertyValueException("lock.circuit.failure-threshold",
					this.failureThreshold, "It must be at least 1.");
		}
		BOUNDS.check("lock.circuit.open-after", this.openAfter);
		BOUNDS.check("lock.circuit.probe-interval", this.probeInterval);
		return this.enabled ? new CircuitSettings(this.failureThreshold, this.openAfter, this.probeInterval,
				callTimeout.multipliedBy(2)) : CircuitSettings.DISABLED;
	}

}
