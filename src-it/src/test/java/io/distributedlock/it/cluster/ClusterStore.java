package io.distributedlock.it.cluster;

import java.util.List;

import javax.sql.DataSource;

import org.springframework.jdbc.datasource.DriverManagerDataSource;

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

	DataSource counters() {
		return new DriverManagerDataSource(this.url, this.user, "");
	}

}
