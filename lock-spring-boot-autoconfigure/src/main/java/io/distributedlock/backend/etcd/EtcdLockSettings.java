package io.distributedlock.backend.etcd;

import java.time.Duration;
import java.util.Objects;

import io.distributedlock.backend.StoreSettings;

/**
 * Settings of an {@link EtcdLockBackend}.
 *
 * @param namespace the prefix of all names; may be empty
 * @param keyPrefix the prefix of every key; may be empty
 * @param instanceId identifies this JVM to administrators; cut after 255 characters
 * @param callTimeout the bound of one call to the store if the request has none
 * @param sessionTtl how long the store keeps the entries of this JVM after its latest
 * keep-alive, in whole seconds; fractions are cut off
 * @param tickRetention how long a tick that has run is remembered at least
 * @since 0.1.0
 */
public record EtcdLockSettings(String namespace, String keyPrefix, String instanceId, Duration callTimeout,
		Duration sessionTtl, Duration tickRetention) {

	/**
	 * The shortest TTL of a session.
	 */
	public static final Duration MIN_SESSION_TTL = Duration.ofSeconds(2);

	/**
	 * The default TTL of a session.
	 */
	public static final Duration DEFAULT_SESSION_TTL = Duration.ofSeconds(10);

	static final Duration MAX_SESSION_TTL = Duration.ofDays(1);

	private static final Duration MIN_TICK_RETENTION = Duration.ofHours(24);

	public EtcdLockSettings {
		Objects.requireNonNull(namespace, "namespace");
		Objects.requireNonNull(keyPrefix, "keyPrefix");
		StoreSettings.requirePositive(callTimeout, "call timeout (lock.call-timeout)");
		if (sessionTtl.compareTo(MIN_SESSION_TTL) < 0 || sessionTtl.compareTo(MAX_SESSION_TTL) > 0) {
			throw new IllegalArgumentException("The TTL of the session (lock.etcd.session-ttl) must be between "
					+ MIN_SESSION_TTL.toSeconds() + "s and " + MAX_SESSION_TTL.toDays() + "d, but is " + sessionTtl);
		}
		if (tickRetention.compareTo(MIN_TICK_RETENTION) < 0) {
			tickRetention = MIN_TICK_RETENTION;
		}
		instanceId = StoreSettings.printable(instanceId);
	}

}
