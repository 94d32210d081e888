package io.distributedlock.actuate;

/**
 * When the health of a store is found out by a probe.
 *
 * @since 0.1.0
 */
public enum ProbeMode {

	/**
	 * If no acquisition has shown it recently.
	 */
	WHEN_IDLE,

	/**
	 * Always.
	 */
	ALWAYS,

	/**
	 * Never. Without a recent acquisition the health is unknown.
	 */
	NEVER

}
