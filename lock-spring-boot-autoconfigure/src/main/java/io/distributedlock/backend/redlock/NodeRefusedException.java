package io.distributedlock.backend.redlock;

import org.jspecify.annotations.Nullable;

import io.distributedlock.LockRefusedException;

/**
 * A node does not let itself be used, or refuses a command, and will until somebody
 * changes it. The message does not name the node.
 */
@SuppressWarnings("serial")
final class NodeRefusedException extends LockRefusedException {

	NodeRefusedException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
