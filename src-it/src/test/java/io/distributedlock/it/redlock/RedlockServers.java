package io.distributedlock.it.redlock;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;

import io.distributedlock.backend.redlock.RedlockEndpoint;
import io.distributedlock.it.redis.RedisProcess;

/**
 * Independent servers, each of them a node.
 *
 * @param all the servers
 */
record RedlockServers(List<RedisProcess> all) {

	static RedlockServers start(int number) {
		return new RedlockServers(IntStream.range(0, number).mapToObj((index) -> RedisProcess.start()).toList());
	}

	List<RedlockEndpoint> endpoints() {
		return this.all.stream().map((server) -> endpoint(server.port())).toList();
	}

	/**
	 * Return the endpoints of these servers and of some that nobody ever starts.
	 */
	List<RedlockEndpoint> endpointsAndMissing(int missing) {
		List<RedlockEndpoint> endpoints = new ArrayList<>(endpoints());
		for (int i = 0; i < missing; i++) {
			endpoints.add(i, endpoint(RedisProcess.freePort()));
		}
		return endpoints;
	}

	private static RedlockEndpoint endpoint(int port) {
		return RedlockEndpoint.parse("redis://127.0.0.1:" + port);
	}

	/**
	 * Delete what a node stores under a name.
	 */
	void delete(RedisProcess server, String name) {
		RedisClient client = RedisClient.create(RedisURI.create("127.0.0.1", server.port()));
		try (StatefulRedisConnection<String, String> connection = client.connect()) {
			connection.sync().del(name);
		}
		finally {
			client.shutdown();
		}
	}

	void kill() {
		this.all.forEach(RedisProcess::kill);
	}

}
