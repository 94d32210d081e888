package io.distributedlock.it.cluster;

import io.distributedlock.it.mariadb.MariaDbServer;

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
