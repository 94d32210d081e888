package io.distributedlock.backend.redlock;

import org.jspecify.annotations.Nullable;

import io.distributedlock.LockUnavailableException;

/**
 * A node does not let itself be used, and will not until somebody changes it.
 */
@SuppressWarnings("serial")
final class NodeRefusedException extends LockUnavailableException {

	NodeRefusedException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
