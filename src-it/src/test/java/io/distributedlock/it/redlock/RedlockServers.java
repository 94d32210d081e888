package io.distributedlock.it.redlock;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;

import io.distributedlock.backend.redlock.RedlockEndpoint;
import io.distributedlock.it.net.FreePorts;
import io.distributedlock.it.redis.RedisProcess;

/**
 * Independent servers, each of which is a node.
 *
 * @param all the servers
 */
public record RedlockServers(List<RedisProcess> all) {

	/**
	 * Start servers.
	 * @param number how many
	 * @param settings options of the command line, each with its value
	 * @return the servers
	 */
	public static RedlockServers start(int number, String... settings) {
		return new RedlockServers(
				IntStream.range(0, number).mapToObj((index) -> RedisProcess.start(settings)).toList());
	}

	/**
	 * Return the five servers that the tests of a JVM share. No test disturbs them, and
	 * each uses a prefix of its own.
	 * @return the servers
	 */
	public static RedlockServers shared() {
		return Shared.SERVERS;
	}

	RedisProcess get(int index) {
		return this.all.get(index);
	}

	/**
	 * Return the first of these servers.
	 * @param number how many
	 * @return the servers
	 */
	public RedlockServers first(int number) {
		return new RedlockServers(this.all.subList(0, number));
	}

	/**
	 * Return the ports of the nodes.
	 * @return the ports on 127.0.0.1
	 */
	public List<Integer> ports() {
		return this.all.stream().map(RedisProcess::port).toList();
	}

	/**
	 * Return the addresses of the nodes.
	 * @return the endpoints
	 */
	public List<RedlockEndpoint> endpoints() {
		return this.all.stream().map((server) -> endpoint(server.port())).toList();
	}

	/**
	 * Return the endpoints of these servers and of some that are never started.
	 */
	List<RedlockEndpoint> endpointsAndMissing(int missing) {
		List<RedlockEndpoint> endpoints = new ArrayList<>(endpoints());
		for (int i = 0; i < missing; i++) {
			endpoints.add(i, endpoint(FreePorts.next()));
		}
		return endpoints;
	}

	static RedlockEndpoint endpoint(int port) {
		return RedlockEndpoint.parse("redis://127.0.0.1:" + port);
	}

	/**
	 * Run a command at a server on a connection of its own.
	 */
	static <T> T ask(RedisProcess server, Function<RedisCommands<String, String>, T> question) {
		return ask(server.port(), question);
	}

	/**
	 * Run a command at a server on a connection of its own.
	 * @param <T> the type of the answer
	 * @param port the port on 127.0.0.1
	 * @param question the command
	 * @return the answer
	 */
	public static <T> T ask(int port, Function<RedisCommands<String, String>, T> question) {
		try (StatefulRedisConnection<String, String> connection = Operator.CLIENT
			.connect(RedisURI.create("127.0.0.1", port))) {
			return question.apply(connection.sync());
		}
	}

	/**
	 * Run a command at each server.
	 */
	<T> List<T> askAll(Function<RedisCommands<String, String>, T> question) {
		return this.all.stream().map((server) -> ask(server, question)).toList();
	}

	/**
	 * End all servers.
	 */
	public void kill() {
		this.all.forEach((server) -> {
			server.resume();
			server.close();
		});
	}

	// The first use of the class starts the servers; they end with the JVM.
	private static final class Shared {

		static final RedlockServers SERVERS = start(5);

	}

	private static final class Operator {

		static final RedisClient CLIENT = RedisClient.create();

	}

}
