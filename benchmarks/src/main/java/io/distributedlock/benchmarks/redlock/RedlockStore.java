package io.distributedlock.benchmarks.redlock;

import java.util.List;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import io.distributedlock.benchmarks.contest.Address;
import io.distributedlock.benchmarks.contest.Contestant;
import io.distributedlock.benchmarks.contest.Store;
import io.distributedlock.it.redis.RedisProcess;
import io.distributedlock.it.redlock.RedlockServers;

/**
 * Independent Redis servers, a majority of which keeps each lock.
 */
public final class RedlockStore implements Store {

	/**
	 * The name of Redisson's locks.
	 */
	public static final String REDISSON = "Redisson Redlock";

	private final int nodes;

	// Guarded by the monitor.
	private @Nullable Address address;

	/**
	 * Create a store.
	 * @param nodes how many servers
	 */
	public RedlockStore(int nodes) {
		this.nodes = nodes;
	}

	@Override
	public String name() {
		return "Redlock of " + this.nodes;
	}

	@Override
	public synchronized Address start() {
		Address running = this.address;
		if (running == null) {
			running = startOthers();
			this.address = running;
		}
		return running;
	}

	/**
	 * Start servers that are used for one scenario only, since each node remembers the
	 * list that it belongs to.
	 * @return where they listen
	 */
	public Address startOthers() {
		return new Address(name(), RedlockServers.start(this.nodes).all().stream().map(RedisProcess::port).toList());
	}

	@Override
	public List<Contestant> contestants() {
		return List.of(Contestant.bare(BareRedlock::new), Contestant.subject(RedlockStore::settings),
				Contestant.less(REDISSON, RedissonRedlock::new));
	}

	/**
	 * Return the settings of an application. New servers would not vote for a minute,
	 * since they could have forgotten their locks.
	 */
	private static String[] settings(Address address) {
		String urls = address.ports()
			.stream()
			.map((port) -> "redis://127.0.0.1:" + port)
			.collect(Collectors.joining(","));
		return new String[] { "lock.backend=redlock", "lock.redlock.nodes=" + urls,
				"lock.redlock.quarantine-on-empty=false" };
	}

}
