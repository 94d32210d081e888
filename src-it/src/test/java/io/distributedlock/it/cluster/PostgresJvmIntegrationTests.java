package io.distributedlock.it.cluster;

import io.distributedlock.it.postgres.PostgresServer;

class PostgresJvmIntegrationTests extends JvmContract {

	@Override
	String platform() {
		return "postgresql";
	}

	@Override
	ClusterStore store() throws Exception {
		return ClusterStore.jdbc(PostgresServer.url(), "postgres");
	}

}
