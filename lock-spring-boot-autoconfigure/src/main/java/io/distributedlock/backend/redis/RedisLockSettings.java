package io.distributedlock.backend.redis;

import java.time.Duration;
import java.util.Objects;

import io.distributedlock.LockRequest;
import io.distributedlock.backend.StoreSettings;

/**
 * Settings of a {@link RedisLockBackend}.
 *
 * @param keyPrefix the beginning of every stored name; may be empty
 * @param instanceId the name of this JVM for administrators; cut after 255 characters
 * @param callTimeout the timeout of a call to the server, unless its request has one
 * @param tokenRetention how long the counter of a key stays after its last use
 * @param minReplicaAcks how many replicas have to acknowledge a lease before it is
 * granted; zero for no wait
 * @param replicaAcks what happens to a lease that fewer replicas have acknowledged in
 * time
 * @param failoverQuarantine whether a new incarnation of the server (a restart, a
 * promoted replica) grants no lock for the longest TTL and a margin, while renewals
 * restore the leases that it has forgotten. Not possible with a Cluster
 * @param maxTtl the longest TTL and extension with a quarantine; the same for all clients
 * of the server. A longer cooldown may be forgotten
 * @since 0.1.0
 */
public record RedisLockSettings(String keyPrefix, String instanceId, Duration callTimeout, Duration tokenRetention,
		int minReplicaAcks, ReplicaAcks replicaAcks, boolean failoverQuarantine, Duration maxTtl) {

	/**
	 * The longest TTL unless another one is configured.
	 */
	public static final Duration DEFAULT_MAX_TTL = Duration.ofSeconds(60);

	private static final Duration LEAST_MAX_TTL = Duration.ofMillis(100);

	/**
	 * Treatment of a lease that too few replicas have acknowledged in time.
	 */
	public enum ReplicaAcks {

		/**
		 * It is given back, and the store counts as unavailable.
		 */
		STRICT,

		/**
		 * It is granted, and a warning is logged.
		 */
		BEST_EFFORT

	}

	public RedisLockSettings {
		Objects.requireNonNull(keyPrefix, "keyPrefix");
		StoreSettings.requirePositive(callTimeout, "call timeout (lock.call-timeout)");
		StoreSettings.requirePositive(tokenRetention, "retention of tokens (lock.token-retention)");
		if (minReplicaAcks < 0) {
			throw new IllegalArgumentException("The number of replicas that have to acknowledge a lease"
					+ " (lock.redis.min-replica-acks) must not be negative, but is " + minReplicaAcks);
		}
		Objects.requireNonNull(replicaAcks, "replicaAcks");
		if (maxTtl.compareTo(LEAST_MAX_TTL) < 0 || maxTtl.compareTo(LockRequest.MAX_HOLD_TIME) > 0) {
			throw new IllegalArgumentException(
					"The longest ttl (lock.redis.max-ttl) must be between " + LEAST_MAX_TTL.toMillis() + " ms and "
							+ LockRequest.MAX_HOLD_TIME.toDays() + " days, but is " + maxTtl);
		}
		instanceId = StoreSettings.printable(instanceId);
	}

	/**
	 * Create settings without a quarantine.
	 * @param keyPrefix the beginning of every stored name
	 * @param instanceId the name of this JVM
	 * @param callTimeout the timeout of a call to the server
	 * @param tokenRetention how long the counter of a key stays after its last use
	 * @param minReplicaAcks how many replicas have to acknowledge a lease
	 * @param replicaAcks what happens to a lease that fewer replicas have acknowledged in
	 * time
	 */
	public RedisLockSettings(String keyPrefix, String instanceId, Duration callTimeout, Duration tokenRetention,
			int minReplicaAcks, ReplicaAcks replicaAcks) {
		this(keyPrefix, instanceId, callTimeout, tokenRetention, minReplicaAcks, replicaAcks, false, DEFAULT_MAX_TTL);
	}

	/**
	 * Create settings without a quarantine and without a wait for replicas.
	 * @param keyPrefix the beginning of every stored name
	 * @param instanceId the name of this JVM
	 * @param callTimeout the timeout of a call to the server
	 * @param tokenRetention how long the counter of a key stays after its last use
	 */
	public RedisLockSettings(String keyPrefix, String instanceId, Duration callTimeout, Duration tokenRetention) {
		this(keyPrefix, instanceId, callTimeout, tokenRetention, 0, ReplicaAcks.STRICT);
	}

	/**
	 * Return these settings with a quarantine.
	 * @param longest the longest TTL
	 * @return the settings
	 */
	public RedisLockSettings withFailoverQuarantine(Duration longest) {
		return new RedisLockSettings(this.keyPrefix, this.instanceId, this.callTimeout, this.tokenRetention,
				this.minReplicaAcks, this.replicaAcks, true, longest);
	}

}
