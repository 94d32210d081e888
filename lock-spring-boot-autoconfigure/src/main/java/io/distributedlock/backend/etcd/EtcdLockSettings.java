package io.distributedlock.backend.etcd;

import java.time.Duration;
import java.util.Objects;

import io.distributedlock.backend.StoreSettings;

/**
 * How an {@link EtcdLockBackend} keeps its locks.
 *
 * @param namespace what the name of everything that is stored begins with; may be empty
 * @param keyPrefix what every key begins with; may be empty
 * @param instanceId who this JVM is, for people who look; cut after 255 characters
 * @param callTimeout the bound of one call to the store where the request brings none
 * @param sessionTtl how long the store keeps what belongs to this JVM after it last heard
 * of it, in whole seconds; what is left is cut off
 * @param tickRetention how long a tick that has run is remembered at least
 * @since 0.1.0
 */
public record EtcdLockSettings(String namespace, String keyPrefix, String instanceId, Duration callTimeout,
		Duration sessionTtl, Duration tickRetention) {

	/**
	 * The shortest time for which etcd keeps a session.
	 */
	public static final Duration MIN_SESSION_TTL = Duration.ofSeconds(2);

	/**
	 * How long a session is kept unless another time is configured.
	 */
	public static final Duration DEFAULT_SESSION_TTL = Duration.ofSeconds(10);

	static final Duration MAX_SESSION_TTL = Duration.ofDays(1);

	private static final Duration MIN_TICK_RETENTION = Duration.ofHours(24);

	public EtcdLockSettings {
		Objects.requireNonNull(namespace, "namespace");
		Objects.requireNonNull(keyPrefix, "keyPrefix");
		StoreSettings.requirePositive(callTimeout, "call time-out (lock.call-timeout)");
		if (sessionTtl.compareTo(MIN_SESSION_TTL) < 0 || sessionTtl.compareTo(MAX_SESSION_TTL) > 0) {
			throw new IllegalArgumentException("The ttl of the session (lock.etcd.session-ttl) must be between "
					+ MIN_SESSION_TTL.toSeconds() + "s and " + MAX_SESSION_TTL.toDays() + "d, but is " + sessionTtl);
		}
		if (tickRetention.compareTo(MIN_TICK_RETENTION) < 0) {
			tickRetention = MIN_TICK_RETENTION;
		}
		instanceId = StoreSettings.printable(instanceId);
	}

}
