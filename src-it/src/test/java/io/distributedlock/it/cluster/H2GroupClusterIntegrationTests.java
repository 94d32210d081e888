package io.distributedlock.it.cluster;

import io.distributedlock.it.FurtherTopology;

@FurtherTopology
class H2GroupClusterIntegrationTests extends GroupClusterContract {

	@Override
	ClusterStore store() throws Exception {
		return H2ClusterIntegrationTests.store(this.processes, this.folder);
	}

}
