package io.distributedlock.it.cluster;

import io.distributedlock.it.FurtherTopology;
import io.distributedlock.it.mariadb.MariaDbServer;

@FurtherTopology
class MariaDbGroupClusterIntegrationTests extends GroupClusterContract {

	@Override
	ClusterStore store() {
		return ClusterStore.jdbc(MariaDbServer.url(), "root");
	}

}
