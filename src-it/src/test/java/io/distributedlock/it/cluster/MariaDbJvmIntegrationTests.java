package io.distributedlock.it.cluster;

import io.distributedlock.it.FurtherTopology;
import io.distributedlock.it.mariadb.MariaDbServer;

@FurtherTopology
class MariaDbJvmIntegrationTests extends JvmContract {

	@Override
	String platform() {
		return "mariadb";
	}

	@Override
	ClusterStore store() throws Exception {
		return ClusterStore.jdbc(MariaDbServer.url(), "root");
	}

}
