package io.distributedlock.it.sample;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.List;

import org.junit.jupiter.api.AfterAll;

/**
 * The sample's profile {@code redis-local}: the instance that comes first starts a Redis
 * for both.
 */
class LocalRedisSampleIntegrationTests extends SampleContract {

	private static final int PORT = freePort();

	private static int freePort() {
		try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
			return socket.getLocalPort();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

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
