package io.distributedlock.it.sample;

import java.util.List;

import io.distributedlock.it.etcd.EtcdServer;
import io.distributedlock.it.etcd.RequiresEtcd;

/**
 * The sample's profile {@code etcd}: the locks are in a running etcd.
 */
@RequiresEtcd
class EtcdSampleIntegrationTests extends SampleContract {

	@Override
	List<String> arguments() {
		return List.of("--spring.profiles.active=etcd", "--lock.etcd.endpoints=" + EtcdServer.url());
	}

}
