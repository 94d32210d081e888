package io.distributedlock;

import org.jspecify.annotations.Nullable;

/**
 * The backend could not be asked, or its answer did not arrive in time. Whether a request
 * was executed is unknown; whatever it may have taken is given back in the background.
 * Never used for a lock that somebody else holds, see {@link LockBusyException}.
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
