package io.distributedlock.autoconfigure;

import org.jspecify.annotations.Nullable;

/**
 * Thrown if the locks can't be set up with the application's configuration.
 */
@SuppressWarnings("serial")
class LockStartException extends RuntimeException {

	private final String description;

	private final String action;

	/**
	 * Create the exception.
	 * @param description what is wrong
	 * @param action what to do
	 * @param cause the cause, or {@code null}
	 */
	LockStartException(String description, String action, @Nullable Throwable cause) {
		super(description + "\n" + action, cause);
		this.description = description;
		this.action = action;
	}

	String description() {
		return this.description;
	}

	String action() {
		return this.action;
	}

}
