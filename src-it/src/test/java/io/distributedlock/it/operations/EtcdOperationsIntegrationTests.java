package io.distributedlock.it.operations;

import java.util.List;

import io.distributedlock.it.etcd.EtcdServer;
import io.distributedlock.it.etcd.RequiresEtcd;
import io.distributedlock.it.operations.OperatedApplication.Answer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An application with its locks in etcd.
 */
@RequiresEtcd
class EtcdOperationsIntegrationTests extends OperationsContract {

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

	@Override
	void assertParticulars(Answer health) {
		assertThat(health.read("$.details.session.id")).asString().isNotBlank();
		assertThat((Integer) health.read("$.details.session.validMs")).isPositive();
	}

}
