package io.distributedlock.backend.redis;

import java.time.Duration;
import java.util.Objects;

import io.distributedlock.LockRequest;
import io.distributedlock.backend.StoreSettings;

/**
 * How a {@link RedisLockBackend} keeps its locks.
 *
 * @param keyPrefix what every stored name begins with; may be empty
 * @param instanceId who this JVM is, for people who look; cut after 255 characters
 * @param callTimeout the bound of one call to the server where the request brings none
 * @param tokenRetention how long the counter of a key stays after its last use
 * @param minReplicaAcks how many replicas have to acknowledge a lease before it is
 * granted; zero for none
 * @param replicaAcks what becomes of a lease that fewer have acknowledged in time
 * @param failoverQuarantine whether a new incarnation of the server (a restart, a
 * promoted replica) grants nothing for the longest ttl and a margin, while holders put
 * back by renewal what it has forgotten. Not possible with a Cluster
 * @param maxTtl the longest ttl and extension where it does; the same for all who use the
 * server. A longer cooldown may be forgotten
 * @since 0.1.0
 */
public record RedisLockSettings(String keyPrefix, String instanceId, Duration callTimeout, Duration tokenRetention,
		int minReplicaAcks, ReplicaAcks replicaAcks, boolean failoverQuarantine, Duration maxTtl) {

	/**
	 * The longest ttl unless another one is configured.
	 */
	public static final Duration DEFAULT_MAX_TTL = Duration.ofSeconds(60);

	private static final Duration LEAST_MAX_TTL = Duration.ofMillis(100);

	/**
	 * What becomes of a lease that too few replicas have acknowledged in time.
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
		StoreSettings.requirePositive(callTimeout, "call time-out (lock.call-timeout)");
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
	 * @param keyPrefix what every stored name begins with
	 * @param instanceId who this JVM is
	 * @param callTimeout the bound of one call to the server
	 * @param tokenRetention how long the counter of a key stays after its last use
	 * @param minReplicaAcks how many replicas have to acknowledge a lease
	 * @param replicaAcks what becomes of a lease that fewer have acknowledged in time
	 */
	public RedisLockSettings(String keyPrefix, String instanceId, Duration callTimeout, Duration tokenRetention,
			int minReplicaAcks, ReplicaAcks replicaAcks) {
		this(keyPrefix, instanceId, callTimeout, tokenRetention, minReplicaAcks, replicaAcks, false, DEFAULT_MAX_TTL);
	}

	/**
	 * Create settings without a quarantine that wait for no replica.
	 * @param keyPrefix what every stored name begins with
	 * @param instanceId who this JVM is
	 * @param callTimeout the bound of one call to the server
	 * @param tokenRetention how long the counter of a key stays after its last use
	 */
	public RedisLockSettings(String keyPrefix, String instanceId, Duration callTimeout, Duration tokenRetention) {
		this(keyPrefix, instanceId, callTimeout, tokenRetention, 0, ReplicaAcks.STRICT);
	}

	/**
	 * Return these settings with a quarantine.
	 * @param longest the longest ttl
	 * @return the settings
	 */
	public RedisLockSettings withFailoverQuarantine(Duration longest) {
		return new RedisLockSettings(this.keyPrefix, this.instanceId, this.callTimeout, this.tokenRetention,
				this.minReplicaAcks, this.replicaAcks, true, longest);
	}

}
