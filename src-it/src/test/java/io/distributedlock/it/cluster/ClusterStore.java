package io.distributedlock.it.cluster;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import javax.sql.DataSource;

import org.springframework.jdbc.datasource.DriverManagerDataSource;

import io.distributedlock.it.postgres.PostgresServer;

/**
 * The stores of the locks and the counters of a cluster.
 *
 * @param url the database of the counters
 * @param user its user
 * @param arguments the arguments by which the applications find the store of the locks
 */
record ClusterStore(String url, String user, List<String> arguments) {

	/**
	 * Create a store in which each cluster has a prefix of its own. Lets JVMs start
	 * before the store has passed the startup check. The TTL of a cluster is so short,
	 * and its JVMs start so slowly side by side, that the first connection may take
	 * longer than the check waits.
	 */
	private static ClusterStore of(String url, String user, List<String> arguments) {
		return new ClusterStore(url, user,
				Stream.concat(Stream.of("--lock.fail-fast=false"), arguments.stream()).toList());
	}

	/**
	 * Locks in the same database as the counters.
	 */
	static ClusterStore jdbc(String url, String user) {
		return of(url, user, List.of("--lock.backend=jdbc", "--lock.jdbc.initialize-schema=always"));
	}

	/**
	 * Locks in Redis, counters in PostgreSQL.
	 * @param port the port of the server on 127.0.0.1
	 */
	static ClusterStore redis(int port) {
		return of(PostgresServer.url(), "postgres", List.of("--lock.backend=redis",
				"--spring.data.redis.host=127.0.0.1", "--spring.data.redis.port=" + port));
	}

	/**
	 * Locks on independent Redis nodes, counters in PostgreSQL.
	 * @param ports the ports of the nodes on 127.0.0.1
	 * @param ttl the TTL of the cluster, and the longest one
	 */
	static ClusterStore redlock(List<Integer> ports, Duration ttl) {
		String nodes = ports.stream().map((port) -> "redis://127.0.0.1:" + port).collect(Collectors.joining(","));
		return of(PostgresServer.url(), "postgres",
				List.of("--lock.backend=redlock", "--lock.redlock.nodes=" + nodes, "--lock.redlock.max-ttl=" + ttl));
	}

	/**
	 * Locks in ZooKeeper, counters in PostgreSQL. The session timeout is so short that
	 * the keys of a killed JVM are free again in time.
	 * @param connectString the addresses of the servers
	 */
	static ClusterStore zookeeper(String connectString) {
		return of(PostgresServer.url(), "postgres", List.of("--lock.backend=zookeeper",
				"--lock.zookeeper.session-timeout=3s", "--lock.zookeeper.connect-string=" + connectString));
	}

	/**
	 * Locks in etcd, counters in PostgreSQL. Sessions end as soon as the leases of others
	 * do.
	 * @param urls the addresses of the members
	 */
	static ClusterStore etcd(List<String> urls) {
		return of(PostgresServer.url(), "postgres", List.of("--lock.backend=etcd", "--lock.etcd.session-ttl=4s",
				"--lock.etcd.endpoints=" + String.join(",", urls), "--logging.level.io.etcd.jetcd.impl=error"));
	}

	/**
	 * Locks in a Cluster of Redis servers, counters in PostgreSQL.
	 * @param ports the ports of the servers on 127.0.0.1
	 */
	static ClusterStore redisCluster(List<Integer> ports) {
		String nodes = ports.stream().map((port) -> "127.0.0.1:" + port).collect(Collectors.joining(","));
		return of(PostgresServer.url(), "postgres",
				List.of("--lock.backend=redis", "--spring.data.redis.cluster.nodes=" + nodes));
	}

	/**
	 * Return the same store with further arguments.
	 */
	ClusterStore with(String... further) {
		return new ClusterStore(this.url, this.user,
				Stream.concat(this.arguments.stream(), Stream.of(further)).toList());
	}

	/**
	 * Return the prefix of the keys of a cluster.
	 * @param folder its folder
	 */
	String prefix(Path folder) {
		return folder.getFileName() + ":";
	}

	DataSource counters() {
		return new DriverManagerDataSource(this.url, this.user, "");
	}

}
