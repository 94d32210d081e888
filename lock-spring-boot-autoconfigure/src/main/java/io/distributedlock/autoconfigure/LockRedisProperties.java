package io.distributedlock.autoconfigure;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

import io.distributedlock.backend.redis.RedisLockSettings;
import io.distributedlock.backend.redis.RedisLockSettings.ReplicaAcks;

/**
 * Properties of the locks in Redis.
 *
 * @param minReplicaAcks How many replicas have to acknowledge a lease before it is
 * granted. Not possible with a Cluster, nor with static replicas.
 * @param replicaAcks What becomes of a lease that fewer replicas have acknowledged within
 * a third of the call time-out. Strict gives it back, and the store counts as
 * unavailable; best effort grants it and logs a warning.
 */
@ConfigurationProperties("lock.redis")
record LockRedisProperties(@DefaultValue("0") int minReplicaAcks, @DefaultValue("strict") ReplicaAcks replicaAcks) {

	RedisLockSettings toSettings(LockProperties properties, InstanceId instanceId) {
		try {
			return new RedisLockSettings(properties.keyPrefix(), instanceId.value(), properties.boundedCallTimeout(),
					properties.tokenRetention(), this.minReplicaAcks, this.replicaAcks);
		}
		catch (IllegalArgumentException ex) {
			throw new LockStartException(String.valueOf(ex.getMessage()), "Change the property that it names.", ex);
		}
	}

}
