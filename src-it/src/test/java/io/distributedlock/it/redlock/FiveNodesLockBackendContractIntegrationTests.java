package io.distributedlock.it.redlock;

import java.util.List;

import io.distributedlock.backend.redlock.RedlockEndpoint;
import io.distributedlock.backend.redlock.RedlockLockBackendContract;
import io.distributedlock.it.FurtherTopology;

/**
 * The contract of all stores on five nodes.
 */
@FurtherTopology
class FiveNodesLockBackendContractIntegrationTests extends RedlockLockBackendContract {

	@Override
	protected List<RedlockEndpoint> endpoints() {
		return RedlockServers.shared().first(5).endpoints();
	}

}
