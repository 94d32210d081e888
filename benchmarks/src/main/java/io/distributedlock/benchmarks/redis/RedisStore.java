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

	@Override
	public String name() {
		return "Redis";
	}

	@Override
	public Address start() {
		return Address.of(name(), RedisServer.port());
	}

	@Override
	public List<Contestant> contestants() {
		return List.of(Contestant.bare(BareRedis::new), Contestant
			.subject((address) -> new String[] { "lock.backend=redis", "spring.data.redis.port=" + address.port() }));
	}

}
