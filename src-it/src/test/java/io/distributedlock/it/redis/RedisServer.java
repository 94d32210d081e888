package io.distributedlock.it.redis;

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
	 * Return the server's port, and start the server if necessary.
	 * @return the port
	 */
	public static int port() {
		return Running.SERVER.port();
	}

	/**
	 * Return connections through Lettuce, shared by all callers.
	 * @return the factory, started
	 */
	public static LettuceConnectionFactory lettuce() {
		return Lettuce.FACTORY;
	}

	/**
	 * Return connections through Jedis, shared by all callers.
	 * @return the factory, started
	 */
	public static JedisConnectionFactory jedis() {
		return Jedis.FACTORY;
	}

	// The first use of the class starts the server, in any test.
	private static final class Running {

		static final RedisProcess SERVER = RedisProcess.start();

	}

	private static final class Lettuce {

		static final LettuceConnectionFactory FACTORY = RedisFactories.lettuce(port());

	}

	private static final class Jedis {

		static final JedisConnectionFactory FACTORY = RedisFactories.jedis(port());

	}

}
