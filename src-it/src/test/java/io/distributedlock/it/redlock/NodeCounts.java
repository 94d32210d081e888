package io.distributedlock.it.redlock;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;

import io.distributedlock.it.redis.RedisProcess;

/**
 * How often a node was asked what, by its own count. Commands inside scripts count too.
 *
 * @param calls the number of calls by command
 */
record NodeCounts(Map<String, Long> calls) {

	static List<NodeCounts> of(RedlockServers servers) {
		return servers.all().stream().map(NodeCounts::of).toList();
	}

	static NodeCounts of(RedisProcess server) {
		RedisClient client = RedisClient.create(RedisURI.create("127.0.0.1", server.port()));
		try (StatefulRedisConnection<String, String> connection = client.connect()) {
			Map<String, Long> calls = new HashMap<>();
			connection.sync()
				.info("commandstats")
				.lines()
				.filter((line) -> line.startsWith("cmdstat_"))
				.forEach((line) -> calls.put(line.substring("cmdstat_".length(), line.indexOf(':')),
						Long.parseLong(line.replaceFirst(".*calls=(\\d+),.*", "$1"))));
			return new NodeCounts(calls);
		}
		finally {
			client.shutdown();
		}
	}

	long calls(String command) {
		return this.calls.getOrDefault(command, 0L);
	}

	/**
	 * Return what has been asked since.
	 */
	NodeCounts since(NodeCounts before) {
		Map<String, Long> difference = new HashMap<>();
		this.calls.forEach((name, number) -> difference.put(name, number - before.calls(name)));
		return new NodeCounts(difference);
	}

}
