package io.distributedlock.it.operations;

import java.util.List;

import io.distributedlock.it.operations.OperatedApplication.Answer;
import io.distributedlock.it.zookeeper.ZooKeeperServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An application with its locks in ZooKeeper.
 */
class ZooKeeperOperationsIntegrationTests extends OperationsContract {

	@Override
	String store() {
		return "zookeeper";
	}

	@Override
	List<Integer> ports() {
		return List.of(ZooKeeperServer.port());
	}

	@Override
	List<String> properties(List<Integer> ports) {
		return List.of("lock.zookeeper.connect-string=127.0.0.1:" + ports.get(0));
	}

	@Override
	void assertParticulars(Answer health) {
		assertThat(health.read("$.details.session.id")).asString().startsWith("0x");
		assertThat((Integer) health.read("$.details.session.validMs")).isPositive();
	}

}
