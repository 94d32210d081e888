package io.distributedlock;

import java.time.Duration;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

/**
 * Somebody else held the lock until the wait time was over. Nothing is held by the
 * caller. A backend that could not be asked is never reported like this, see
 * {@link LockUnavailableException}.
 *
 * @since 0.1.0
 */
public class LockBusyException extends LockException {

	private final String key;

	private final @Nullable Duration retryAfter;

	/**
	 * Create the exception.
	 * @param key the key that is held by somebody else
	 * @param message what happened, with the key and the wait time
	 * @param retryAfter what was left of the holder's lease at the last look, if known
	 */
	public LockBusyException(String key, String message, @Nullable Duration retryAfter) {
		super(message);
		this.key = key;
		this.retryAfter = retryAfter;
	}

	/**
	 * Return the key that is held by somebody else.
	 * @return the key
	 */
	public String key() {
		return this.key;
	}

	/**
	 * Return the time after which the holder's lease runs out unless it is renewed or
	 * released, as it was at the last look.
	 * @return the time, or empty where it is not known
	 */
	public Optional<Duration> retryAfter() {
		return Optional.ofNullable(this.retryAfter);
	}

}
