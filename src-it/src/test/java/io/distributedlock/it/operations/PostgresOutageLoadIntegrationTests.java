package io.distributedlock.it.operations;

import java.util.List;

import io.distributedlock.it.postgres.PostgresServer;

/**
 * Fifty threads take locks while PostgreSQL is down.
 */
class PostgresOutageLoadIntegrationTests extends OutageLoadContract {

	@Override
	String store() {
		return "jdbc";
	}

	@Override
	List<Integer> ports() {
		return List.of(PostgresServer.port());
	}

	@Override
	List<String> properties(List<Integer> ports) {
		return List.of("lock.jdbc.initialize-schema=always",
				"spring.datasource.url=jdbc:postgresql://127.0.0.1:" + ports.get(0) + "/postgres",
				"spring.datasource.username=postgres", "spring.datasource.hikari.connection-timeout=1000");
	}

}
