package io.distributedlock.it.stores;

import java.util.function.Supplier;

import io.distributedlock.DistributedLock;

/**
 * Work that is locked by the same key at another store for each class.
 */
interface Shipping {

	/**
	 * Run a body under the lock on {@code order:<id>}.
	 */
	<T> T ship(String id, Supplier<T> body);

	/**
	 * At the default store.
	 */
	class AtDefault implements Shipping {

		@Override
		@DistributedLock(name = "order", key = "#id")
		public <T> T ship(String id, Supplier<T> body) {
			return body.get();
		}

	}

	/**
	 * In a database.
	 */
	class AtJdbc implements Shipping {

		@Override
		@DistributedLock(name = "order", key = "#id", backend = "jdbc", fenced = true)
		public <T> T ship(String id, Supplier<T> body) {
			return body.get();
		}

	}

	/**
	 * In Redis.
	 */
	class AtRedis implements Shipping {

		@Override
		@DistributedLock(name = "order", key = "#id", backend = "redis", fenced = true)
		public <T> T ship(String id, Supplier<T> body) {
			return body.get();
		}

	}

	/**
	 * On three nodes.
	 */
	class AtRedlock implements Shipping {

		@Override
		@DistributedLock(name = "order", key = "#id", backend = "redlock", fenced = true)
		public <T> T ship(String id, Supplier<T> body) {
			return body.get();
		}

	}

	/**
	 * In ZooKeeper.
	 */
	class AtZooKeeper implements Shipping {

		@Override
		@DistributedLock(name = "order", key = "#id", backend = "zookeeper", fenced = true)
		public <T> T ship(String id, Supplier<T> body) {
			return body.get();
		}

	}

	/**
	 * In etcd.
	 */
	class AtEtcd implements Shipping {

		@Override
		@DistributedLock(name = "order", key = "#id", backend = "etcd", fenced = true)
		public <T> T ship(String id, Supplier<T> body) {
			return body.get();
		}

	}

}
