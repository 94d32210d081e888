package io.distributedlock.it.cluster;

import io.distributedlock.it.mariadb.MariaDbServer;

class MariaDbClusterIntegrationTests extends ClusterContract {

	@Override
	ClusterStore store() {
		return ClusterStore.jdbc(MariaDbServer.url(), "root");
	}

}
