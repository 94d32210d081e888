package io.distributedlock.backend.etcd;

import org.jspecify.annotations.Nullable;

import io.distributedlock.LockUnavailableException;

/**
 * Nothing was asked of etcd, so that nothing can have come of it.
 */
@SuppressWarnings("serial")
final class NotSentException extends LockUnavailableException {

	NotSentException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
