package io.distributedlock.it.cluster;

class H2JvmIntegrationTests extends JvmContract {

	@Override
	String platform() {
		return "h2";
	}

	@Override
	ClusterStore store() throws Exception {
		return H2ClusterIntegrationTests.store(this.processes, this.folder);
	}

}
