package io.distributedlock.it.etcd;

import io.etcd.jetcd.Client;

import io.distributedlock.backend.etcd.EtcdSweepContract;

/**
 * Tests that unused entries are removed.
 */
@RequiresEtcd
class EtcdSweepIntegrationTests extends EtcdSweepContract {

	@Override
	protected Client connections() {
		return EtcdServer.client();
	}

}
