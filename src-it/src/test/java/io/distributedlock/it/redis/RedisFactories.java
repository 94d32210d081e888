package io.distributedlock.it.redis;

import java.time.Duration;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Creates and starts connection factories, as Spring Boot does. They end with the JVM
 * unless they are destroyed before.
 */
final class RedisFactories {

	private RedisFactories() {
	}

	static LettuceConnectionFactory lettuce(int port) {
		return lettuce(new RedisStandaloneConfiguration("127.0.0.1", port),
				LettuceClientConfiguration.defaultConfiguration());
	}

	static LettuceConnectionFactory lettuce(RedisConfiguration configuration, LettuceClientConfiguration client) {
		// As in Spring Boot, where factories know their stand-alone configuration.
		LettuceConnectionFactory factory = (configuration instanceof RedisStandaloneConfiguration standalone)
				? new LettuceConnectionFactory(standalone, client)
				: new LettuceConnectionFactory(configuration, client);
		factory.afterPropertiesSet();
		factory.start();
		return factory;
	}

	static JedisConnectionFactory jedis(int port) {
		return started(new JedisConnectionFactory(new RedisStandaloneConfiguration("127.0.0.1", port),
				jedisClient().usePooling().build()));
	}

	static JedisConnectionFactory jedis(RedisStandaloneConfiguration configuration) {
		return started(new JedisConnectionFactory(configuration, jedisClient().usePooling().build()));
	}

	static JedisConnectionFactory jedis(RedisSentinelConfiguration configuration) {
		return started(
				new JedisConnectionFactory(configuration, JedisClientConfiguration.builder().usePooling().build()));
	}

	static void destroy(RedisConnectionFactory factory) {
		try {
			((DisposableBean) factory).destroy();
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	static JedisConnectionFactory jedis(RedisClusterConfiguration configuration) {
		return started(new JedisConnectionFactory(configuration, jedisClient().build()));
	}

	/**
	 * Let calls take as long as those of the locks may. The driver's default of two
	 * seconds is not enough on a machine that stalls now and then.
	 */
	private static JedisClientConfiguration.JedisClientConfigurationBuilder jedisClient() {
		return JedisClientConfiguration.builder().readTimeout(Duration.ofSeconds(15));
	}

	private static JedisConnectionFactory started(JedisConnectionFactory factory) {
		factory.afterPropertiesSet();
		factory.start();
		return factory;
	}

}
