package io.distributedlock.benchmarks;

import java.util.List;

import io.distributedlock.benchmarks.contest.Store;
import io.distributedlock.benchmarks.etcd.EtcdStore;
import io.distributedlock.benchmarks.jdbc.MariaDbStore;
import io.distributedlock.benchmarks.jdbc.PostgresStore;
import io.distributedlock.benchmarks.local.LocalLocks;
import io.distributedlock.benchmarks.redis.RedisStore;
import io.distributedlock.benchmarks.redlock.RedlockStore;
import io.distributedlock.benchmarks.zookeeper.ZooKeeperStore;

/**
 * All stores that are measured.
 */
public final class Stores {

	private static final List<Store> ALL = List.of(new LocalLocks(), new RedisStore(), new RedlockStore(3),
			new RedlockStore(5), new PostgresStore(), new MariaDbStore(), new ZooKeeperStore(), new EtcdStore());

	private Stores() {
	}

	/**
	 * Return all stores.
	 * @return the stores, also those that this machine can't start
	 */
	public static List<Store> all() {
		return ALL;
	}

	/**
	 * Return a store.
	 * @param name its name, as in an address
	 * @return the store
	 */
	public static Store named(String name) {
		return ALL.stream().filter((store) -> store.name().equals(name)).findFirst().orElseThrow();
	}

}
