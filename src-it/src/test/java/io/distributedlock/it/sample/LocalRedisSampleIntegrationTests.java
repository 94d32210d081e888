package io.distributedlock.it.sample;

import java.util.List;

import org.junit.jupiter.api.AfterAll;

import io.distributedlock.it.net.FreePorts;

/**
 * The sample's profile {@code redis-local}: the instance that comes first starts a Redis
 * for both.
 */
class LocalRedisSampleIntegrationTests extends SampleContract {

	private static final int PORT = FreePorts.next();

	@Override
	List<String> arguments() {
		return List.of("--spring.profiles.active=redis-local", "--spring.data.redis.port=" + PORT);
	}

	/**
	 * Let the instances stop by themselves, so that they take their Redis with them.
	 */
	@AfterAll
	static void stopInstances() throws InterruptedException {
		stopAll();
	}

}
