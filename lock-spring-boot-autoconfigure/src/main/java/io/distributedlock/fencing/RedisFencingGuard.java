package io.distributedlock.fencing;

import java.time.Duration;
import java.util.List;
import java.util.Objects;

import org.jspecify.annotations.Nullable;
import org.springframework.core.io.ClassPathResource;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.core.script.RedisScript;

import io.distributedlock.LockKeys;
import io.distributedlock.LockRequest;
import io.distributedlock.StaleTokenException;

/**
 * Writes to Redis, and refuses writes with a stale token. The check and the write are one
 * script, because after a separate check the write could come too late. The value is
 * stored under its key as usual, for all readers. The greatest token is stored beside it,
 * in the same hash slot, as {@code <key>:token}, or {@code {<key>}:token} if the key has
 * no hash tag.
 * <p>
 * The token stays when the value is deleted or expires: forever, or for a retention,
 * which has to be longer than any writer can be late. Only writes through this class are
 * guarded, and only as far as Redis keeps its data: a fail-over can lose both the value
 * and its token.
 *
 * @since 0.1.0
 */
public final class RedisFencingGuard {

	private static final RedisScript<Long> WRITE = RedisScript
		.of(new ClassPathResource("write.lua", RedisFencingGuard.class), Long.class);

	private static final String NONE = "0";

	private final StringRedisTemplate redis;

	private static final Duration LEAST_TIME = Duration.ofMillis(1);

	private final @Nullable Duration retention;

	/**
	 * Create a guard that remembers tokens forever.
	 * @param connectionFactory creates the connections
	 */
	public RedisFencingGuard(RedisConnectionFactory connectionFactory) {
		this(connectionFactory, null);
	}

	/**
	 * Create a guard.
	 * @param connectionFactory creates the connections
	 * @param retention how long a token is remembered after its last write, at least a
	 * millisecond and at most 3,650 days, or {@code null} to keep it forever
	 */
	public RedisFencingGuard(RedisConnectionFactory connectionFactory, @Nullable Duration retention) {
		this.redis = new StringRedisTemplate(connectionFactory);
		if (retention != null) {
			requireInBounds("Tokens can't be remembered for ", retention);
		}
		this.retention = retention;
	}

	/**
	 * Set a value.
	 * @param key the key
	 * @param value the value
	 * @param token the writer's fencing token
	 * @throws StaleTokenException if a greater token was seen
	 */
	public void set(String key, String value, long token) {
		write(key, token, value, NONE);
	}

	/**
	 * Set a value that expires.
	 * @param key the key
	 * @param value the value
	 * @param token the writer's fencing token
	 * @param ttl how long the value stays, at least a millisecond and at most 3,650 days
	 * @throws StaleTokenException if a greater token was seen
	 */
	public void set(String key, String value, long token, Duration ttl) {
		requireInBounds("The value of '" + LockKeys.printable(key) + "' can't stay for ", ttl);
		write(key, token, value, String.valueOf(ttl.toMillis()));
	}

	private static void requireInBounds(String what, Duration time) {
		if (time.compareTo(LEAST_TIME) < 0 || time.compareTo(LockRequest.MAX_HOLD_TIME) > 0) {
			throw new IllegalArgumentException(what + time + ": the time must be between " + LEAST_TIME.toMillis()
					+ " ms and " + LockRequest.MAX_HOLD_TIME.toDays() + " days");
		}
	}

	/**
	 * Delete a value. Its token stays.
	 * @param key the key
	 * @param token the writer's fencing token
	 * @throws StaleTokenException if a greater token was seen
	 */
	public void delete(String key, long token) {
		write(key, token);
	}

	/**
	 * Set a value, or delete it if there are no arguments.
	 */
	private void write(String key, long token, Object... arguments) {
		if (token < 0) {
			throw new IllegalArgumentException("No fencing token is negative: " + token);
		}
		Object[] all = new Object[arguments.length + 2];
		all[0] = String.valueOf(token);
		all[1] = (this.retention != null) ? String.valueOf(this.retention.toMillis()) : NONE;
		System.arraycopy(arguments, 0, all, 2, arguments.length);
		Long passed = this.redis.execute(WRITE, List.of(key, tokenKey(key)), all);
		if (Objects.requireNonNull(passed) == 0) {
			throw new StaleTokenException(key, token);
		}
	}

	/**
	 * Return the key of the token, which is in the hash slot of the value.
	 */
	static String tokenKey(String key) {
		int open = key.indexOf('{');
		int close = key.indexOf('}', open + 1);
		if (open >= 0 && close > open + 1) {
			return key + ":token";
		}
		if (key.isEmpty() || key.indexOf('}') >= 0) {
			throw new IllegalArgumentException("'" + LockKeys.printable(key)
					+ "' can't be the key of a fenced value: no name beside it would share its hash slot");
		}
		return "{" + key + "}:token";
	}

}
