package io.distributedlock.it.operations;

import java.util.List;

import io.distributedlock.it.etcd.EtcdServer;
import io.distributedlock.it.etcd.RequiresEtcd;

/**
 * Fifty threads take locks while etcd is down.
 */
@RequiresEtcd
class EtcdOutageLoadIntegrationTests extends OutageLoadContract {

	@Override
	String store() {
		return "etcd";
	}

	@Override
	List<Integer> ports() {
		return List.of(EtcdServer.process().port());
	}

	@Override
	List<String> properties(List<Integer> ports) {
		return List.of("lock.etcd.endpoints=http://127.0.0.1:" + ports.get(0), "lock.etcd.session-ttl=30s");
	}

}
