package io.distributedlock.it.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import org.springframework.core.io.ClassPathResource;

import io.distributedlock.backend.redis.RedisLockBackend;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The scripts of groups, called directly, as they are or with a rule that is broken.
 */
final class GroupScripts {

	private static final Map<String, List<String>> PARTS = Map.of("acquire",
			List.of("counter", "acquire", "mint", "granted"), "release", List.of("release"), "enter",
			List.of("group", "counter", "enter", "mint", "entered"), "renew-members", List.of("group", "renew-members"),
			"release-member", List.of("group", "release-member"), "renew-alone", List.of("group", "renew-alone"),
			"renew", List.of("renew"), "force-release", List.of("force-release"), "acquire-several",
			List.of("several", "counter", "look", "attempt", "counter", "acquire", "mint", "granted", "all-or-none"),
			"enter-several", List.of("group", "several", "counter", "look-group", "attempt", "counter", "enter", "mint",
					"entered", "all-or-none"));

	private static final Duration LONG = Duration.ofMinutes(1);

	private final RedisCommands<String, String> commands;

	private final Map<String, String> digests = new HashMap<>();

	private GroupScripts(RedisCommands<String, String> commands, String rule, String broken) {
		this.commands = commands;
		boolean found = rule.isEmpty();
		for (Map.Entry<String, List<String>> script : PARTS.entrySet()) {
			StringBuilder text = new StringBuilder();
			script.getValue().forEach((part) -> text.append(read(part)).append('\n'));
			found |= text.indexOf(rule) >= 0;
			this.digests.put(script.getKey(),
					commands.scriptLoad(rule.isEmpty() ? text.toString() : text.toString().replace(rule, broken)));
		}
		assertThat(found).as("whether a script has '%s'", rule).isTrue();
	}

	static GroupScripts of(RedisCommands<String, String> commands) {
		return new GroupScripts(commands, "", "");
	}

	/**
	 * Break a rule.
	 * @param rule the text that keeps it
	 * @param broken the text that does not
	 */
	static GroupScripts broken(RedisCommands<String, String> commands, String rule, String broken) {
		return new GroupScripts(commands, rule, broken);
	}

	private static String read(String part) {
		try {
			return new ClassPathResource(part + ".lua", RedisLockBackend.class)
				.getContentAsString(StandardCharsets.UTF_8);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static String name(String key, String kind) {
		return RedisTestClient.PREFIX + "{" + key + "}" + kind;
	}

	/**
	 * Enter a group.
	 * @param permits the greatest number of members, zero for readers
	 * @return {1, first token, number of tokens} or {0, rest}
	 */
	List<Object> enter(String key, String member, int permits, Duration ttl) {
		return run("enter",
				List.of(name(key, ""), name(key, ":c"), name(key, ":w"), name(key, ":s"), name(key, ":h"),
						name(key, ":d")),
				member, ttl.toMillis(), 1, value(permits), 0, Duration.ofMinutes(1).toMillis(), permits);
	}

	List<Object> renew(String key, String member, int permits, Duration ttl) {
		return run("renew-members", List.of(name(key, ""), name(key, ":s"), name(key, ":h"), name(key, ":d")),
				value(permits), member, ttl.toMillis());
	}

	List<Object> release(String key, String member, int permits, Duration cooldown) {
		return run("release-member",
				List.of(name(key, ":s"), name(key, ""), name(key, ":h"), name(key, ":d"), name(key, ":w")), member,
				value(permits), "", cooldown.toMillis(), "channel", "message");
	}

	/**
	 * Lengthen the lock of a group by a script of its own.
	 */
	List<Object> renewLockAlone(String key, int permits, Duration ttl) {
		return run("renew", List.of(name(key, "")), "", value(permits), ttl.toMillis());
	}

	/**
	 * Lengthen the lease of a member by a script of its own.
	 */
	List<Object> renewMemberAlone(String key, String member, Duration ttl) {
		return run("renew-alone", List.of(name(key, ":s")), member, ttl.toMillis());
	}

	List<Object> acquire(String key, String owner, Duration ttl) {
		return run("acquire", List.of(name(key, ""), name(key, ":c"), name(key, ":w")), owner, ttl.toMillis(), 1, "", 0,
				Duration.ofMinutes(1).toMillis());
	}

	/**
	 * Take several keys.
	 * @param tick the tick of the last key, or an empty string
	 */
	List<Object> acquireSeveral(List<String> keys, String owner, Object tick) {
		return run("acquire-several",
				keys.stream().flatMap((key) -> Stream.of(name(key, ""), name(key, ":c"), name(key, ":w"))).toList(), 3,
				tick, owner, LONG.toMillis(), 1, "", 0, LONG.toMillis());
	}

	/**
	 * Read several keys.
	 */
	List<Object> enterSeveral(List<String> keys, String member) {
		return run("enter-several",
				keys.stream()
					.flatMap((key) -> Stream.of(name(key, ""), name(key, ":c"), name(key, ":w"), name(key, ":s"),
							name(key, ":h"), name(key, ":d")))
					.toList(),
				6, "", member, LONG.toMillis(), 1, value(0), 0, LONG.toMillis(), 0);
	}

	List<Object> releaseExclusive(String key, String owner) {
		return run("release", List.of(name(key, ""), name(key, ":c"), name(key, ":w")), owner, "", 0, "channel",
				"message");
	}

	List<Object> forceRelease(String key, Duration cooldown) {
		return run("force-release", List.of(name(key, ""), name(key, ":w"), name(key, ":s"), name(key, ":h")),
				cooldown.toMillis(), "channel", "message");
	}

	/**
	 * Take the lock away as the version without groups does it.
	 */
	void forceReleaseEarlier(String key) {
		this.commands.del(name(key, ""));
	}

	private static String value(int permits) {
		return (permits > 0) ? "permits" : "shared";
	}

	private List<Object> run(String script, List<String> keys, Object... arguments) {
		String[] text = new String[arguments.length];
		for (int i = 0; i < arguments.length; i++) {
			text[i] = arguments[i].toString();
		}
		return this.commands.evalsha(this.digests.get(script), ScriptOutputType.MULTI, keys.toArray(String[]::new),
				text);
	}

}
