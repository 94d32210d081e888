package io.distributedlock.it.redis;

import java.util.HashMap;
import java.util.Map;
import java.util.Properties;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Number of calls of each command, as counted by the server. Commands inside scripts
 * count, too.
 *
 * @param calls the number of calls by command
 */
public record CommandStats(Map<String, Long> calls) {

	/**
	 * Return the calls of a server until now.
	 * @param factory opens connections to it
	 * @return the counts
	 */
	public static CommandStats of(RedisConnectionFactory factory) {
		try (RedisConnection connection = factory.getConnection()) {
			Properties info = connection.serverCommands().info("commandstats");
			Map<String, Long> calls = new HashMap<>();
			info.forEach((name, value) -> calls.put(name.toString().replace("cmdstat_", ""),
					Long.parseLong(value.toString().replaceFirst("calls=(\\d+),.*", "$1"))));
			return new CommandStats(calls);
		}
	}

	/**
	 * Return how often a command was called.
	 * @param command its name in lower case
	 * @return the number of calls
	 */
	public long calls(String command) {
		return this.calls.getOrDefault(command, 0L);
	}

	/**
	 * Return the calls since an earlier count.
	 * @param before the earlier counts
	 * @return the differences
	 */
	public CommandStats since(CommandStats before) {
		Map<String, Long> difference = new HashMap<>();
		this.calls.forEach((name, number) -> difference.put(name, number - before.calls(name)));
		return new CommandStats(difference);
	}

}
