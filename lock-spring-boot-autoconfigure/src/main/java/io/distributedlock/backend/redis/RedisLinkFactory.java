package io.distributedlock.backend.redis;

import java.util.concurrent.ExecutorService;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import io.distributedlock.spi.LockClock;

/**
 * Creates the link to the server for the driver that is used.
 */
@FunctionalInterface
interface RedisLinkFactory {

	/**
	 * Chooses by the class of the factory, which belongs to Spring Data and does not load
	 * a missing driver. Lettuce is used natively, and any other driver through Spring
	 * Data.
	 */
	RedisLinkFactory BY_DRIVER = (factory, settings, workers, clock) -> {
		if (factory instanceof LettuceConnectionFactory lettuce) {
			return new LettuceLink(lettuce, settings, workers, clock);
		}
		return new BlockingLink(factory, settings, workers, clock);
	};

	/**
	 * Create the link, without opening a connection yet.
	 * @param factory opens connections
	 * @param settings the settings of the locks
	 * @param workers run calls that block
	 * @param clock the clock
	 * @return the link
	 */
	RedisLink open(RedisConnectionFactory factory, RedisLockSettings settings, ExecutorService workers,
			LockClock clock);

}
