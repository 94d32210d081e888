package io.distributedlock.it.redis;

import java.util.HashMap;
import java.util.Map;
import java.util.Properties;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * How often a server was asked what, by its own count. Commands inside scripts count too.
 *
 * @param calls the number of calls by command
 */
public record CommandStats(Map<String, Long> calls) {

	/**
	 * Return what a server has been asked until now.
	 * @param factory leads to it
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
	 * Return what has been asked since.
	 * @param before the counts of then
	 * @return the differences
	 */
	public CommandStats since(CommandStats before) {
		Map<String, Long> difference = new HashMap<>();
		this.calls.forEach((name, number) -> difference.put(name, number - before.calls(name)));
		return new CommandStats(difference);
	}

}
