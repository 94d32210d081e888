package io.distributedlock.it.cluster;

import java.util.List;

import javax.sql.DataSource;

import org.springframework.jdbc.datasource.DriverManagerDataSource;

import io.distributedlock.it.postgres.PostgresServer;

/**
 * Where a cluster keeps its locks and its counters.
 *
 * @param url the database of the counters
 * @param user its user
 * @param arguments what tells the applications about the store of the locks
 */
record ClusterStore(String url, String user, List<String> arguments) {

	/**
	 * Locks in the same database as the counters.
	 */
	static ClusterStore jdbc(String url, String user) {
		return new ClusterStore(url, user, List.of("--lock.backend=jdbc", "--lock.jdbc.initialize-schema=always"));
	}

	/**
	 * Locks in Redis, counters in PostgreSQL. The ttl of a cluster is so short, and its
	 * JVMs start so slowly side by side, that the first connection may take longer than
	 * the check at the start waits.
	 * @param port the port of the server on 127.0.0.1
	 */
	static ClusterStore redis(int port) {
		return new ClusterStore(PostgresServer.url(), "postgres", List.of("--lock.backend=redis",
				"--lock.fail-fast=false", "--spring.data.redis.host=127.0.0.1", "--spring.data.redis.port=" + port));
	}

	/**
	 * Locks in etcd, counters in PostgreSQL. Sessions end as soon as the leases of others
	 * do.
	 * @param urls the addresses of the members
	 */
	static ClusterStore etcd(List<String> urls) {
		return new ClusterStore(PostgresServer.url(), "postgres",
				List.of("--lock.backend=etcd", "--lock.fail-fast=false", "--lock.etcd.session-ttl=2s",
						"--lock.etcd.endpoints=" + String.join(",", urls), "--logging.level.io.etcd.jetcd.impl=error"));
	}

	DataSource counters() {
		return new DriverManagerDataSource(this.url, this.user, "");
	}

}
