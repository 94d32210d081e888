package io.distributedlock.backend.redis;

import java.util.concurrent.CompletionException;

import org.jspecify.annotations.Nullable;

import io.distributedlock.LockUnavailableException;
import io.distributedlock.spi.QuarantineException;

/**
 * A call to Redis failed, and nothing was changed there: in most cases before it was
 * sent.
 */
@SuppressWarnings("serial")
final class NotSentException extends LockUnavailableException {

	NotSentException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

	/**
	 * Return whether a call may have been executed although it failed.
	 * @param fault how it failed
	 * @return whether it may
	 */
	static boolean mayBeSent(Throwable fault) {
		Throwable cause = (fault instanceof CompletionException && fault.getCause() != null) ? fault.getCause() : fault;
		return !(cause instanceof NotSentException || cause instanceof QuarantineException);
	}

}
