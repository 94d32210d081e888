package io.distributedlock.it.cluster;

import io.distributedlock.it.postgres.PostgresServer;

class PostgresGroupClusterIntegrationTests extends GroupClusterContract {

	@Override
	ClusterStore store() {
		return ClusterStore.jdbc(PostgresServer.url(), "postgres");
	}

}
