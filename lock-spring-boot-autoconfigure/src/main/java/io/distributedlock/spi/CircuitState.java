package io.distributedlock.spi;

/**
 * The state of the circuit between an engine and its store.
 *
 * @since 0.1.0
 */
public enum CircuitState {

	/**
	 * Acquisitions are sent to the store.
	 */
	CLOSED,

	/**
	 * Acquisitions fail immediately.
	 */
	OPEN,

	/**
	 * One acquisition probes the store, and the others fail immediately.
	 */
	HALF_OPEN

}
