package io.distributedlock.it.operations;

import java.util.List;
import java.util.stream.Collectors;

import org.junit.jupiter.api.AfterEach;

import io.distributedlock.it.redlock.RedlockServers;

/**
 * Fifty threads take locks while all nodes of Redlock are down.
 */
class RedlockOutageLoadIntegrationTests extends OutageLoadContract {

	// Clients with other addresses of the same nodes would be refused.
	private final RedlockServers nodes = RedlockServers.start(3);

	@AfterEach
	void stopNodes() {
		this.nodes.kill();
	}

	@Override
	String store() {
		return "redlock";
	}

	@Override
	List<Integer> ports() {
		return this.nodes.all().stream().map((server) -> server.port()).toList();
	}

	@Override
	List<String> properties(List<Integer> ports) {
		return List.of(
				"lock.redlock.nodes="
						+ ports.stream().map((port) -> "redis://127.0.0.1:" + port).collect(Collectors.joining(",")),
				"lock.redlock.quarantine-on-empty=false");
	}

}
