package io.distributedlock.backend.redis;

import java.util.concurrent.ExecutorService;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import io.distributedlock.spi.LockClock;

/**
 * Chooses the way to the server by the driver.
 */
@FunctionalInterface
interface RedisLinkFactory {

	/**
	 * By the class of the factory, which is one of Spring Data and loads no driver that
	 * is missing: Lettuce natively, any other driver through Spring Data.
	 */
	RedisLinkFactory BY_DRIVER = (factory, settings, workers, clock) -> {
		if (factory instanceof LettuceConnectionFactory lettuce) {
			return new LettuceLink(lettuce, settings, workers, clock);
		}
		return new BlockingLink(factory, settings, workers, clock);
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

}
