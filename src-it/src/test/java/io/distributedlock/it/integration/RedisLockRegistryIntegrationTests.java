package io.distributedlock.it.integration;

import io.distributedlock.it.stores.SharedStore;

class RedisLockRegistryIntegrationTests extends StoreLockRegistryContract {

	@Override
	SharedStore store() {
		return SharedStore.REDIS;
	}

}
