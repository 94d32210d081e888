package io.distributedlock.it.integration;

import io.distributedlock.it.stores.SharedStore;

class JdbcLockRegistryIntegrationTests extends StoreLockRegistryContract {

	@Override
	SharedStore store() {
		return SharedStore.JDBC;
	}

}
