package io.distributedlock.backend.redis;

import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.util.ClassUtils;

/**
 * Finds the user that an application configures, for messages.
 */
final class RedisUsers {

	private RedisUsers() {
	}

	/**
	 * Return the user.
	 * @param factory opens connections
	 * @return its name, or {@code null} if it is not known
	 */
	static @Nullable String of(RedisConnectionFactory factory) {
		ClassLoader loader = RedisUsers.class.getClassLoader();
		if (ClassUtils.isPresent("io.lettuce.core.RedisClient", loader)) {
			String user = Lettuce.user(factory);
			if (user != null) {
				return user;
			}
		}
		return ClassUtils.isPresent("redis.clients.jedis.Jedis", loader) ? Jedis.user(factory) : null;
	}

	private static @Nullable String first(@Nullable RedisSentinelConfiguration sentinel,
			@Nullable RedisClusterConfiguration cluster, @Nullable String alone) {
		if (sentinel != null) {
			return sentinel.getUsername();
		}
		return (cluster != null) ? cluster.getUsername() : alone;
	}

	private static final class Lettuce {

		static @Nullable String user(RedisConnectionFactory factory) {
			return (factory instanceof LettuceConnectionFactory lettuce) ? first(lettuce.getSentinelConfiguration(),
					lettuce.getClusterConfiguration(), lettuce.getStandaloneConfiguration().getUsername()) : null;
		}

	}

	private static final class Jedis {

		static @Nullable String user(RedisConnectionFactory factory) {
			return (factory instanceof JedisConnectionFactory jedis)
					? first(jedis.getSentinelConfiguration(), jedis.getClusterConfiguration(), alone(jedis)) : null;
		}

		private static @Nullable String alone(JedisConnectionFactory jedis) {
			return (jedis.getStandaloneConfiguration() != null) ? jedis.getStandaloneConfiguration().getUsername()
					: null;
		}

	}

}
