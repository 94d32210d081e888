package io.distributedlock.it.etcd;

import java.util.List;

import io.distributedlock.scheduling.ScheduledTickContract;

@RequiresEtcd
class EtcdTicksIntegrationTests extends ScheduledTickContract {

	@Override
	protected List<String> store() {
		return List.of("lock.backend=etcd", "lock.etcd.endpoints=" + EtcdServer.url());
	}

}
