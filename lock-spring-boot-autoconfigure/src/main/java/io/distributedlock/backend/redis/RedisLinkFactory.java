package io.distributedlock.backend.redis;

import java.util.concurrent.ExecutorService;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.util.ClassUtils;

import io.distributedlock.spi.LockClock;

/**
 * Chooses the way to the server by the driver.
 */
@FunctionalInterface
interface RedisLinkFactory {

	/**
	 * By the class of the factory: Lettuce natively, any other driver through Spring
	 * Data.
	 */
	RedisLinkFactory BY_DRIVER = (factory, settings, workers, clock) -> {
		if (ClassUtils.isPresent("io.lettuce.core.RedisClient", RedisLinkFactory.class.getClassLoader())
				&& Lettuce.opens(factory)) {
			return Lettuce.link(factory, settings, workers, clock);
		}
		return new BlockingLink(factory, workers, clock);
	};

	/**
	 * Create the way; opens nothing yet.
	 * @param factory opens connections
	 * @param settings how the locks are kept
	 * @param workers for what blocks
	 * @param clock the clock
	 * @return the way
	 */
	RedisLink open(RedisConnectionFactory factory, RedisLockSettings settings, ExecutorService workers,
			LockClock clock);

	/**
	 * Apart, since the driver's classes may be missing.
	 */
	final class Lettuce {

		private Lettuce() {
		}

		static boolean opens(RedisConnectionFactory factory) {
			return factory instanceof LettuceConnectionFactory;
		}

		static RedisLink link(RedisConnectionFactory factory, RedisLockSettings settings, ExecutorService workers,
				LockClock clock) {
			return new LettuceLink((LettuceConnectionFactory) factory, workers, settings.minReplicaAcks() == 0, clock);
		}

	}

}
