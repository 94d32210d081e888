package io.distributedlock.it.redlock;

import java.util.List;

import io.distributedlock.backend.redlock.RedlockEndpoint;
import io.distributedlock.backend.redlock.RedlockLockBackendContract;

/**
 * The contract of all stores on three nodes.
 */
class ThreeNodesLockBackendContractIntegrationTests extends RedlockLockBackendContract {

	@Override
	protected List<RedlockEndpoint> endpoints() {
		return RedlockServers.shared().first(3).endpoints();
	}

}
