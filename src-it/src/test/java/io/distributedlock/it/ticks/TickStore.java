package io.distributedlock.it.ticks;

import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.distributedlock.it.etcd.EtcdServer;
import io.distributedlock.it.mariadb.MariaDbServer;
import io.distributedlock.it.postgres.PostgresServer;
import io.distributedlock.it.redis.RedisServer;
import io.distributedlock.it.redlock.RedlockServers;
import io.distributedlock.it.zookeeper.ZooKeeperServer;

/**
 * A store, with the properties by which applications find it.
 *
 * @param name its name in tests
 * @param ports the ports of its servers on 127.0.0.1
 * @param application returns the properties of an application for given ports
 */
record TickStore(String name, List<Integer> ports, Function<List<Integer>, List<String>> application) {

	/**
	 * Return all stores that several processes can share, each a server that the tests of
	 * a JVM share. Sessions are as short as the leases of others.
	 * @param test the test class
	 */
	static List<TickStore> all(Class<?> test) {
		List<TickStore> stores = new ArrayList<>(List.of(jdbc("postgresql", PostgresServer.url(), "postgres"),
				jdbc("mariadb", MariaDbServer.url(), "root"), redis(), redlock(), zookeeper()));
		if (EtcdServer.isThereFor(test)) {
			stores.add(etcd());
		}
		return stores;
	}

	private static TickStore jdbc(String name, String url, String user) {
		int port = URI.create(url.substring("jdbc:".length())).getPort();
		return new TickStore(name, List.of(port),
				(ports) -> List.of("lock.backend=jdbc", "lock.jdbc.initialize-schema=always",
						"spring.datasource.url=" + url.replace(":" + port + "/", ":" + ports.get(0) + "/"),
						"spring.datasource.username=" + user, "spring.datasource.hikari.maximum-pool-size=4",
						"spring.datasource.hikari.connection-timeout=2000"));
	}

	private static TickStore redis() {
		return new TickStore("redis", List.of(RedisServer.port()), (ports) -> List.of("lock.backend=redis",
				"spring.data.redis.host=127.0.0.1", "spring.data.redis.port=" + ports.get(0)));
	}

	private static TickStore redlock() {
		List<Integer> nodes = RedlockServers.shared().first(3).all().stream().map((node) -> node.port()).toList();
		return new TickStore("redlock", nodes, (ports) -> List.of("lock.backend=redlock",
				"lock.redlock.quarantine-on-empty=false", "lock.redlock.nodes="
						+ ports.stream().map((port) -> "redis://127.0.0.1:" + port).collect(Collectors.joining(","))));
	}

	private static TickStore zookeeper() {
		return new TickStore("zookeeper", List.of(ZooKeeperServer.port()), (ports) -> List.of("lock.backend=zookeeper",
				"lock.zookeeper.connect-string=127.0.0.1:" + ports.get(0), "lock.zookeeper.session-timeout=4s"));
	}

	private static TickStore etcd() {
		return new TickStore("etcd", List.of(EtcdServer.process().port()), (ports) -> List.of("lock.backend=etcd",
				"lock.etcd.endpoints=http://127.0.0.1:" + ports.get(0), "lock.etcd.session-ttl=4s"));
	}

	/**
	 * Return the properties of an application that connects to the servers directly.
	 */
	List<String> direct() {
		return this.application.apply(this.ports);
	}

}
