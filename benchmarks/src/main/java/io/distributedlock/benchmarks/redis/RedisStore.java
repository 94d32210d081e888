package io.distributedlock.benchmarks.redis;

import java.util.List;

import io.distributedlock.benchmarks.contest.Address;
import io.distributedlock.benchmarks.contest.Contestant;
import io.distributedlock.benchmarks.contest.Store;
import io.distributedlock.it.redis.RedisServer;

/**
 * A single Redis.
 */
public final class RedisStore implements Store {

	/**
	 * The name of the store.
	 */
	public static final String NAME = "Redis";

	/**
	 * The name of Redisson's lock with a token.
	 */
	public static final String REDISSON_FENCED = "Redisson RFencedLock";

	/**
	 * The name of Spring Integration's lock.
	 */
	public static final String SPRING_INTEGRATION = "Spring Integration Redis";

	@Override
	public String name() {
		return NAME;
	}

	@Override
	public Address start() {
		return Address.of(name(), RedisServer.port());
	}

	@Override
	public List<Contestant> contestants() {
		return List.of(Contestant.bare(BareRedis::new),
				Contestant.subject(
						(address) -> new String[] { "lock.backend=redis", "spring.data.redis.port=" + address.port() }),
				Contestant.same(REDISSON_FENCED, RedissonSide::fenced),
				Contestant.less("Redisson RLock", RedissonSide::plain),
				Contestant.less("ShedLock Redis", ShedLockRedis::new),
				Contestant.less(SPRING_INTEGRATION, SpringIntegrationRedis::new));
	}

}
