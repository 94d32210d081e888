package io.distributedlock.it.sample;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterAll;

import io.distributedlock.it.net.FreePorts;

/**
 * The sample's profile {@code redlock-local}: the instance that comes first starts five
 * nodes for both.
 */
class LocalRedlockSampleIntegrationTests extends SampleContract {

	private static final List<Integer> PORTS = Stream.generate(FreePorts::next).limit(5).toList();

	@Override
	List<String> arguments() {
		String ports = PORTS.stream().map(String::valueOf).collect(Collectors.joining(","));
		String nodes = PORTS.stream().map((port) -> "redis://127.0.0.1:" + port).collect(Collectors.joining(","));
		return List.of("--spring.profiles.active=redlock-local", "--sample.redis.ports=" + ports,
				"--lock.redlock.nodes=" + nodes);
	}

	/**
	 * Let the instances stop by themselves, so that they take their nodes with them.
	 */
	@AfterAll
	static void stopInstances() throws InterruptedException {
		stopAll();
	}

}
