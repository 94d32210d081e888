package io.distributedlock.it.redis;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * One Redis for all tests of a JVM, on 127.0.0.1, without a copy on disk; it ends with
 * the JVM.
 */
public final class RedisServer {

	private RedisServer() {
	}

	/**
	 * Return the server's port; starts it if need be.
	 * @return the port
	 */
	public static int port() {
		return Running.SERVER.port();
	}

	/**
	 * Return connections through Lettuce, shared by all who ask.
	 * @return the factory, started
	 */
	public static LettuceConnectionFactory lettuce() {
		return Lettuce.FACTORY;
	}

	/**
	 * Return connections through Jedis, shared by all who ask.
	 * @return the factory, started
	 */
	public static RedisConnectionFactory jedis() {
		return Jedis.FACTORY;
	}

	// The first use of the class starts the server, in whichever test that is.
	private static final class Running {

		static final RedisProcess SERVER = RedisProcess.start();

	}

	private static final class Lettuce {

		static final LettuceConnectionFactory FACTORY = create();

		private static LettuceConnectionFactory create() {
			LettuceConnectionFactory factory = new LettuceConnectionFactory(
					new RedisStandaloneConfiguration("127.0.0.1", port()));
			factory.afterPropertiesSet();
			factory.start();
			return factory;
		}

	}

	private static final class Jedis {

		static final JedisConnectionFactory FACTORY = create();

		private static JedisConnectionFactory create() {
			JedisConnectionFactory factory = new JedisConnectionFactory(
					new RedisStandaloneConfiguration("127.0.0.1", port()),
					JedisClientConfiguration.builder().usePooling().build());
			factory.afterPropertiesSet();
			factory.start();
			return factory;
		}

	}

}
