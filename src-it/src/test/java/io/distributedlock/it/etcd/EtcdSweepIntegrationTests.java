package io.distributedlock.it.etcd;

import io.etcd.jetcd.Client;

import io.distributedlock.backend.etcd.EtcdSweepContract;

/**
 * What nobody knows of is given back.
 */
@RequiresEtcd
class EtcdSweepIntegrationTests extends EtcdSweepContract {

	@Override
	protected Client connections() {
		return EtcdServer.client();
	}

}
