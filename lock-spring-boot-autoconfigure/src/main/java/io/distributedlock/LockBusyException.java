package io.distributedlock;

import java.time.Duration;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

/**
 * Thrown if another holder had the lock until the wait time was over. The caller holds no
 * lease. If the backend could not be asked, a {@link LockUnavailableException} is thrown
 * instead.
 *
 * @since 0.1.0
 */
public class LockBusyException extends LockException {

	private final String key;

	private final @Nullable Duration retryAfter;

	/**
	 * Create the exception.
	 * @param key the key that another holder has
	 * @param message what happened, with the key and the wait time
	 * @param retryAfter the remaining time of the holder's lease when it was last
	 * checked, if known
	 */
	public LockBusyException(String key, String message, @Nullable Duration retryAfter) {
		super(message);
		this.key = key;
		this.retryAfter = retryAfter;
	}

	/**
	 * Return the key that another holder has.
	 * @return the key
	 */
	public String key() {
		return this.key;
	}

	/**
	 * Return the time after which the holder's lease expires unless it is renewed or
	 * released, as it was when last checked.
	 * @return the time, or empty if it is not known
	 */
	public Optional<Duration> retryAfter() {
		return Optional.ofNullable(this.retryAfter);
	}

}
