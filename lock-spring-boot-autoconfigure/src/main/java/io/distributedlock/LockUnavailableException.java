package io.distributedlock;

import org.jspecify.annotations.Nullable;

/**
 * Thrown if the backend could not be asked, or its answer did not arrive in time. It is
 * unknown whether a request was executed; a lock that it may have taken is given back in
 * the background. If another holder has the lock, a {@link LockBusyException} is thrown
 * instead.
 *
 * @since 0.1.0
 */
public class LockUnavailableException extends LockException {

	public LockUnavailableException(String message) {
		super(message);
	}

	public LockUnavailableException(String message, @Nullable Throwable cause) {
		super(message);
		if (cause != null) {
			initCause(cause);
		}
	}

}
