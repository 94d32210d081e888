package io.distributedlock.it.integration;

import io.distributedlock.it.etcd.RequiresEtcd;
import io.distributedlock.it.stores.SharedStore;

@RequiresEtcd
class EtcdLockRegistryIntegrationTests extends StoreLockRegistryContract {

	@Override
	SharedStore store() {
		return SharedStore.ETCD;
	}

	@Override
	protected boolean storeKnowsTheTtl() {
		return false;
	}

}
