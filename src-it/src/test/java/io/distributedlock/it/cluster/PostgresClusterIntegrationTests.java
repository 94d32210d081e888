package io.distributedlock.it.cluster;

import io.distributedlock.it.postgres.PostgresServer;

class PostgresClusterIntegrationTests extends ClusterContract {

	@Override
	ClusterStore store() {
		return ClusterStore.jdbc(PostgresServer.url(), "postgres");
	}

}
