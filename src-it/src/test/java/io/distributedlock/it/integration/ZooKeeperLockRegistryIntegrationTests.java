package io.distributedlock.it.integration;

import io.distributedlock.it.stores.SharedStore;

class ZooKeeperLockRegistryIntegrationTests extends StoreLockRegistryContract {

	@Override
	SharedStore store() {
		return SharedStore.ZOOKEEPER;
	}

	@Override
	protected boolean storeKnowsTheTtl() {
		return false;
	}

}
