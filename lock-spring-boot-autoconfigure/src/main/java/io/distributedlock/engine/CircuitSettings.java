package io.distributedlock.engine;

import java.time.Duration;

/**
 * The settings of a circuit.
 *
 * @param failureThreshold how many attempts in a row have to fail before it opens
 * @param openAfter for how long they have to fail
 * @param probeInterval the time between two probes of an open circuit
 * @param probeTimeout the time after which a probe without an outcome is replaced; longer
 * than the engine waits for an answer
 * @since 0.1.0
 */
public record CircuitSettings(int failureThreshold, Duration openAfter, Duration probeInterval, Duration probeTimeout) {

	/**
	 * The circuit never opens.
	 */
	public static final CircuitSettings DISABLED = new CircuitSettings(Integer.MAX_VALUE, Duration.ZERO, Duration.ZERO,
			Duration.ZERO);

}
