package io.distributedlock.engine;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.distributedlock.spi.LockBackend;

/**
 * Describes a store in messages.
 */
final class BackendLabel {

	private static final Logger logger = LoggerFactory.getLogger(BackendLabel.class);

	private final String name;

	private final LockBackend backend;

	BackendLabel(String name, LockBackend backend) {
		this.name = name;
		this.backend = backend;
	}

	String name() {
		return this.name;
	}

	/**
	 * Return the name in quotes, and the address of the store if it is known, as in
	 * {@code 'redis' at localhost:6379}.
	 */
	String withAddress() {
		String address = address();
		return "'" + this.name + "'" + ((address != null) ? " at " + address : "");
	}

	/**
	 * Return the address of the store, or {@code null} if it is not known.
	 */
	@Nullable String address() {
		try {
			return this.backend.address();
		}
		catch (RuntimeException ex) {
			logger.debug("The backend '{}' does not give its address", this.name, ex);
			return null;
		}
	}

}
