package io.distributedlock.engine;

import io.distributedlock.spi.BackendConnection;

/**
 * Lets tests call a store as an engine does.
 *
 * @since 0.1.0
 */
public final class EngineConnection {

	private EngineConnection() {
	}

	/**
	 * Return the connection of an engine.
	 * @param engine the engine, which connects if necessary
	 * @return its connection to the store
	 */
	public static BackendConnection of(LockEngine engine) {
		return engine.open();
	}

}
