package io.distributedlock.it.stores;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

import io.distributedlock.it.etcd.EtcdServer;
import io.distributedlock.it.postgres.PostgresServer;
import io.distributedlock.it.redis.RedisServer;
import io.distributedlock.it.redlock.RedlockServers;
import io.distributedlock.it.zookeeper.ZooKeeperServer;

/**
 * The servers that all tests of a JVM share, with the properties by which applications
 * use them.
 */
public enum SharedStore {

	/**
	 * A table in PostgreSQL.
	 */
	JDBC {

		@Override
		public List<String> properties() {
			return List.of("lock.backend=jdbc", "spring.datasource.url=" + PostgresServer.url(),
					"spring.datasource.username=postgres", "spring.datasource.hikari.maximum-pool-size=16",
					"spring.datasource.hikari.minimum-idle=0", "lock.jdbc.initialize-schema=always");
		}

	},

	/**
	 * One Redis.
	 */
	REDIS {

		@Override
		public List<String> properties() {
			return List.of("lock.backend=redis", "spring.data.redis.host=127.0.0.1",
					"spring.data.redis.port=" + RedisServer.port());
		}

	},

	/**
	 * Three independent Redis servers.
	 */
	REDLOCK {

		@Override
		public List<String> properties() {
			return redlock(RedlockServers.shared().first(3));
		}

	},

	/**
	 * One ZooKeeper.
	 */
	ZOOKEEPER {

		@Override
		public List<String> properties() {
			return List.of("lock.backend=zookeeper",
					"lock.zookeeper.connect-string=" + ZooKeeperServer.connectString());
		}

	},

	/**
	 * One etcd.
	 */
	ETCD {

		@Override
		public List<String> properties() {
			return List.of("lock.backend=etcd", "lock.etcd.endpoints=" + EtcdServer.url());
		}

	};

	/**
	 * Return the properties by which an application uses this store; starts its servers
	 * if needed.
	 * @return the properties, {@code name=value}
	 */
	public abstract List<String> properties();

	/**
	 * Return the properties of an application that uses some nodes.
	 */
	static List<String> redlock(RedlockServers nodes) {
		String urls = nodes.all()
			.stream()
			.map((server) -> "redis://127.0.0.1:" + server.port())
			.collect(Collectors.joining(","));
		return List.of("lock.backend=redlock", "lock.redlock.nodes=" + urls, "lock.redlock.node-timeout=2s",
				"lock.redlock.quarantine-on-empty=false", "lock.redlock.max-ttl=1h");
	}

	/**
	 * Return the name of the store.
	 * @return the name
	 */
	public String storeName() {
		return name().toLowerCase(Locale.ROOT);
	}

}
