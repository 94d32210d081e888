package io.distributedlock.it.operations;

import java.util.List;
import java.util.stream.Collectors;

import io.distributedlock.it.operations.OperatedApplication.Answer;
import io.distributedlock.it.redlock.RedlockServers;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An application with its locks on three independent Redis servers.
 */
class RedlockOperationsIntegrationTests extends OperationsContract {

	@Override
	String store() {
		return "redlock";
	}

	@Override
	List<Integer> ports() {
		return RedlockServers.shared().first(3).all().stream().map((server) -> server.port()).toList();
	}

	@Override
	List<String> properties(List<Integer> ports) {
		return List.of(
				"lock.redlock.nodes="
						+ ports.stream().map((port) -> "redis://127.0.0.1:" + port).collect(Collectors.joining(",")),
				"lock.redlock.node-timeout=5s", "lock.redlock.quarantine-on-empty=false", "lock.redlock.max-ttl=60s");
	}

	@Override
	void assertParticulars(Answer health) {
		assertThat(health.read("$.details.quorum")).isEqualTo("2 of 3");
		assertThat(health.read("$.details.nodes[*].state")).isEqualTo(List.of("up", "up", "up"));
	}

}
