package io.distributedlock.autoconfigure;

import java.time.Duration;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

import io.distributedlock.backend.redis.RedisLockSettings;
import io.distributedlock.backend.redis.RedisLockSettings.ReplicaAcks;

/**
 * Properties of the locks in Redis.
 *
 * @param minReplicaAcks How many replicas have to acknowledge a lease before it is
 * granted or renewed. Not possible with a Cluster or with static replicas.
 * @param replicaAcks What happens if fewer replicas acknowledge a lease within a third of
 * the call timeout: strict gives it back, or does not count its renewal; best-effort
 * counts it and logs a warning.
 * @param failoverQuarantine Whether a server that is new, was restarted or took over
 * grants no lock for the longest TTL, while renewals restore forgotten leases. Not
 * possible with a Cluster; needs the right to run INFO.
 * @param maxTtl Longest TTL and extension with failover-quarantine, and so the length of
 * a quarantine. The same for all applications that share the locks.
 */
@ConfigurationProperties("lock.redis")
record LockRedisProperties(@DefaultValue("0") int minReplicaAcks, @DefaultValue("strict") ReplicaAcks replicaAcks,
		@DefaultValue("false") boolean failoverQuarantine, @DefaultValue("60s") Duration maxTtl) {

	RedisLockSettings toSettings(LockProperties properties, InstanceId instanceId) {
		if (this.failoverQuarantine && properties.ttl().compareTo(this.maxTtl) > 0) {
			throw new LockStartException("The ttl (lock.ttl) is " + properties.ttl()
					+ ", and the longest ttl (lock.redis.max-ttl) " + this.maxTtl + ".", "Change one of them.", null);
		}
		try {
			return new RedisLockSettings(properties.keyPrefix(), instanceId.value(), properties.boundedCallTimeout(),
					properties.tokenRetention(), this.minReplicaAcks, this.replicaAcks, this.failoverQuarantine,
					this.maxTtl);
		}
		catch (IllegalArgumentException ex) {
			throw new LockStartException(String.valueOf(ex.getMessage()), "Change the property that it names.", ex);
		}
	}

}
