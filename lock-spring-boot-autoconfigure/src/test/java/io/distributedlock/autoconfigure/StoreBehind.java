package io.distributedlock.autoconfigure;

import io.distributedlock.engine.LockEngine;
import io.distributedlock.epoch.TokenEpochBackend;
import io.distributedlock.spi.LockBackend;

/**
 * Finds the store behind the token epoch.
 */
final class StoreBehind {

	private StoreBehind() {
	}

	static LockBackend of(LockEngine engine) {
		return (engine.backend() instanceof TokenEpochBackend backend) ? backend.delegate() : engine.backend();
	}

}
