package io.distributedlock.autoconfigure;

import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/**
 * Registers the resources that stores and guards read from the class path: statements,
 * scripts and the tables to create.
 */
class LockStoreRuntimeHints implements RuntimeHintsRegistrar {

	@Override
	public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
		hints.resources()
			.registerPattern("io/distributedlock/backend/**/*.sql")
			.registerPattern("io/distributedlock/backend/**/*.lua")
			.registerPattern("io/distributedlock/fencing/*.sql")
			.registerPattern("io/distributedlock/fencing/*.lua");
	}

}
