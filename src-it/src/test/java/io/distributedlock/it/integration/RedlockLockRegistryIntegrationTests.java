package io.distributedlock.it.integration;

import io.distributedlock.it.stores.SharedStore;

class RedlockLockRegistryIntegrationTests extends StoreLockRegistryContract {

	@Override
	SharedStore store() {
		return SharedStore.REDLOCK;
	}

}
