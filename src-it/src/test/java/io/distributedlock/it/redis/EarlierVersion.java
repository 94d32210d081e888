package io.distributedlock.it.redis;

import java.time.Duration;
import java.util.List;

import org.springframework.core.io.ClassPathResource;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.core.script.RedisScript;

import io.distributedlock.spi.OwnerId;

/**
 * A client of the version that had no groups: its scripts, called as it called them.
 */
final class EarlierVersion {

	private static final String CHANNEL = RedisTestClient.PREFIX + "released";

	private final StringRedisTemplate redis;

	EarlierVersion(RedisConnectionFactory factory) {
		this.redis = new StringRedisTemplate(factory);
	}

	/**
	 * Return the value of a lock, which names its owner.
	 */
	static String owner() {
		return OwnerId.random().value() + "|earlier@host:1";
	}

	/**
	 * Attempt to take a lock.
	 * @param tick the tick in milliseconds, or an empty string
	 * @return {1, first token, number of tokens} or {0, rest}
	 */
	List<Object> acquire(String key, String owner, int span, String tick, boolean waiting) {
		return run("acquire", List.of(lock(key), lock(key) + ":c", lock(key) + ":w"), owner,
				RedisTestClient.TTL.toMillis(), span, tick, waiting ? 6000 : 0, Duration.ofHours(1).toMillis());
	}

	List<Object> acquire(String key, String owner, boolean waiting) {
		return acquire(key, owner, 1, "", waiting);
	}

	/**
	 * Renew a lease.
	 * @return {1} or {0}
	 */
	List<Object> renew(String key, String owner) {
		return run("renew", List.of(lock(key)), "", owner, RedisTestClient.TTL.toMillis());
	}

	/**
	 * Release a lease.
	 * @return {1} or {0}
	 */
	List<Object> release(String key, String owner, long token) {
		return run("release", List.of(lock(key), lock(key) + ":c", lock(key) + ":w"), owner, token, 0, CHANNEL,
				lock(key));
	}

	/**
	 * Find the holder.
	 * @return {value, rest, counter, seconds, microseconds} or {}
	 */
	List<Object> find(String key) {
		return run("find", List.of(lock(key), lock(key) + ":c"));
	}

	/**
	 * Take the lock away.
	 * @return {1} or {0}
	 */
	List<Object> forceRelease(String key, Duration cooldown) {
		return run("force-release", List.of(lock(key), lock(key) + ":w"), cooldown.toMillis(), CHANNEL, lock(key));
	}

	private static String lock(String key) {
		return RedisTestClient.PREFIX + "{" + key + "}";
	}

	@SuppressWarnings("unchecked")
	private List<Object> run(String script, List<String> keys, Object... arguments) {
		Object[] text = new Object[arguments.length];
		for (int i = 0; i < arguments.length; i++) {
			text[i] = arguments[i].toString();
		}
		return this.redis.execute(
				RedisScript.of(new ClassPathResource("before/" + script + ".lua", EarlierVersion.class), List.class),
				keys, text);
	}

}
