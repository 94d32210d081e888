package io.distributedlock.it.redlock;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import org.springframework.core.io.ClassPathResource;

import io.distributedlock.spi.OwnerId;

/**
 * A client of the version without groups: its scripts, called at all nodes as it called
 * them.
 */
final class EarlierRedlock {

	private static final String CHANNEL = RedlockTestClient.PREFIX + "released";

	private final RedlockServers servers;

	EarlierRedlock(RedlockServers servers) {
		this.servers = servers;
	}

	/**
	 * Return the value of a lock, which names its owner.
	 */
	static String owner() {
		return OwnerId.random().value() + "|earlier@host:1";
	}

	/**
	 * Ask for votes.
	 * @return the answers of the nodes: 1 for an acknowledgement, 0 for busy, 3 for
	 * tokens that are too low
	 */
	List<Long> acquire(String key, String owner, long token, boolean waiting) {
		return this.servers.askAll((commands) -> {
			String state = commands.get(RedlockTestClient.PREFIX + "redlock:state");
			String[] parts = state.split(":");
			return kind(run(commands, "acquire",
					List.of(RedlockTestClient.PREFIX + "redlock:state", RedlockTestClient.PREFIX + "redlock:mark",
							lock(key), lock(key) + ":c", lock(key) + ":w"),
					state, parts[3], parts[4], 3_600_000, owner, RedlockTestClient.TTL.toMillis(), token, 1, "",
					waiting ? 6000 : 0)
				.get(1));
		});
	}

	/**
	 * Renew a lease.
	 * @return for each node 1 if it stands there, or 0
	 */
	List<Long> renew(String key, String owner, long token) {
		return this.servers.askAll((commands) -> {
			String state = commands.get(RedlockTestClient.PREFIX + "redlock:state");
			return kind(run(commands, "renew",
					List.of(lock(key), lock(key) + ":c", RedlockTestClient.PREFIX + "redlock:state"), state, owner,
					RedlockTestClient.TTL.toMillis(), token)
				.get(0));
		});
	}

	/**
	 * Release a lease.
	 * @return for each node 1 if it stood there, or 0
	 */
	List<Long> release(String key, String owner) {
		return this.servers.askAll((commands) -> kind(
				run(commands, "release", List.of(lock(key), lock(key) + ":c", lock(key) + ":w"), owner, 0, "", CHANNEL)
					.get(1)));
	}

	/**
	 * Find the holder.
	 * @return the value of the lock at each node, without those that have none
	 */
	List<Object> find(String key) {
		return this.servers
			.askAll((commands) -> (List<?>) run(commands, "find", List.of(lock(key), lock(key) + ":c")).get(0))
			.stream()
			.<Object>flatMap((found) -> found.stream().limit(1))
			.toList();
	}

	/**
	 * Take the lock away.
	 * @return for each node 1 if it had a holder, or 0
	 */
	List<Long> forceRelease(String key) {
		return this.servers.askAll((commands) -> kind(
				run(commands, "force-release", List.of(lock(key), lock(key) + ":w"), 103, CHANNEL, lock(key)).get(0)));
	}

	private static String lock(String key) {
		return RedlockTestClient.PREFIX + "{" + key + "}";
	}

	private static long kind(Object answer) {
		return (Long) ((answer instanceof List<?> list) ? list.get(0) : answer);
	}

	static List<Object> run(RedisCommands<String, String> commands, String script, List<String> keys,
			Object... arguments) {
		return new ArrayList<>(commands.<List<Object>>eval(source(script), ScriptOutputType.MULTI,
				keys.toArray(String[]::new), Stream.of(arguments).map(Object::toString).toArray(String[]::new)));
	}

	private static String source(String script) {
		try {
			return new ClassPathResource("before/" + script + ".lua", EarlierRedlock.class)
				.getContentAsString(StandardCharsets.UTF_8);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
