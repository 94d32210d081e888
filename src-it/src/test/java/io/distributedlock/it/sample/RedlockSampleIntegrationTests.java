package io.distributedlock.it.sample;

import java.util.List;
import java.util.stream.Collectors;

import org.junit.jupiter.api.AfterAll;

import io.distributedlock.it.FurtherTopology;
import io.distributedlock.it.redlock.RedlockServers;

/**
 * The sample's profile {@code redlock}: the locks are on three running nodes.
 */
@FurtherTopology
class RedlockSampleIntegrationTests extends SampleContract {

	private static final RedlockServers SERVERS = RedlockServers.start(3);

	@Override
	List<String> arguments() {
		String nodes = SERVERS.endpoints()
			.stream()
			.map((node) -> "redis://" + node.name())
			.collect(Collectors.joining(","));
		return List.of("--spring.profiles.active=redlock", "--lock.redlock.nodes=" + nodes,
				"--lock.redlock.quarantine-on-empty=false");
	}

	@AfterAll
	static void end() {
		SERVERS.kill();
	}

}
