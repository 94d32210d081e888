package io.distributedlock.backend.redlock;

import org.jspecify.annotations.Nullable;

import io.distributedlock.LockRefusedException;

/**
 * Thrown when a node can't be used or refuses a command, until the administrator changes
 * it. The message does not name the node.
 * <p>
 * Public only because the package of the driver uses it.
 *
 * @since 0.1.0
 */
@SuppressWarnings("serial")
public final class NodeRefusedException extends LockRefusedException {

	/**
	 * Create the exception.
	 * @param message what is refused, and why
	 * @param cause the error answer, if there was one
	 */
	public NodeRefusedException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
