package io.distributedlock.it.etcd;

import io.etcd.jetcd.Client;

import io.distributedlock.backend.etcd.EtcdLockBackendContract;

/**
 * The contract of all stores on a single etcd.
 */
@RequiresEtcd
class EtcdLockBackendContractIntegrationTests extends EtcdLockBackendContract {

	@Override
	protected Client connections() {
		return EtcdServer.client();
	}

}
