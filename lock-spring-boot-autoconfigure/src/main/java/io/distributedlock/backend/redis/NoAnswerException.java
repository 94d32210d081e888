package io.distributedlock.backend.redis;

import io.distributedlock.LockUnavailableException;

/**
 * A call was sent to Redis, and was not answered in time.
 */
@SuppressWarnings("serial")
final class NoAnswerException extends LockUnavailableException {

	NoAnswerException(String message) {
		super(message);
	}

}
