package io.distributedlock.backend.redis;

import java.time.Duration;
import java.util.Objects;

/**
 * How a {@link RedisLockBackend} keeps its locks.
 *
 * @param keyPrefix what every stored name begins with; may be empty
 * @param instanceId who this JVM is, for people who look; cut after 255 characters
 * @param callTimeout the bound of one call to the server where the request brings none
 * @param tokenRetention how long the counter of a key stays after its last use
 * @since 0.1.0
 */
public record RedisLockSettings(String keyPrefix, String instanceId, Duration callTimeout, Duration tokenRetention) {

	private static final int MAX_INSTANCE_LENGTH = 255;

	public RedisLockSettings {
		Objects.requireNonNull(keyPrefix, "keyPrefix");
		if (callTimeout.isNegative() || callTimeout.isZero()) {
			throw new IllegalArgumentException(
					"The call time-out (lock.call-timeout) must be positive, but is " + callTimeout);
		}
		if (tokenRetention.isNegative() || tokenRetention.isZero()) {
			throw new IllegalArgumentException(
					"The retention of tokens (lock.token-retention) must be positive, but is " + tokenRetention);
		}
		instanceId = printable(instanceId);
	}

	private static String printable(String instanceId) {
		String cut = (instanceId.length() <= MAX_INSTANCE_LENGTH) ? instanceId
				: instanceId.substring(0, MAX_INSTANCE_LENGTH);
		return cut.replaceAll("[\\p{Cntrl}\\p{Cs}]", "?");
	}

}
