package io.distributedlock.it.redis;

import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Creates connection factories that are started, as Spring Boot does. They end with the
 * JVM unless they are destroyed before.
 */
final class RedisFactories {

	private RedisFactories() {
	}

	static LettuceConnectionFactory lettuce(int port) {
		return lettuce(new RedisStandaloneConfiguration("127.0.0.1", port),
				LettuceClientConfiguration.defaultConfiguration());
	}

	static LettuceConnectionFactory lettuce(RedisConfiguration configuration, LettuceClientConfiguration client) {
		LettuceConnectionFactory factory = new LettuceConnectionFactory(configuration, client);
		factory.afterPropertiesSet();
		factory.start();
		return factory;
	}

	static JedisConnectionFactory jedis(int port) {
		JedisConnectionFactory factory = new JedisConnectionFactory(new RedisStandaloneConfiguration("127.0.0.1", port),
				JedisClientConfiguration.builder().usePooling().build());
		factory.afterPropertiesSet();
		factory.start();
		return factory;
	}

}
