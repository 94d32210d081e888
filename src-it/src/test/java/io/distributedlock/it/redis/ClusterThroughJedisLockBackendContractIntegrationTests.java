package io.distributedlock.it.redis;

import org.springframework.data.redis.connection.RedisConnectionFactory;

import io.distributedlock.backend.redis.RedisLockBackendContract;
import io.distributedlock.it.FurtherTopology;

/**
 * Runs the contract of all stores on a Redis Cluster, through Jedis.
 */
@FurtherTopology
class ClusterThroughJedisLockBackendContractIntegrationTests extends RedisLockBackendContract {

	@Override
	protected RedisConnectionFactory factory() {
		return RedisCluster.jedis();
	}

	// Keys of different slots are not granted together.
	@Override
	protected String newKeyBeside(int index) {
		return RedisCluster.keyInSlotOf(super.newKeyBeside(index), "contract");
	}

}
