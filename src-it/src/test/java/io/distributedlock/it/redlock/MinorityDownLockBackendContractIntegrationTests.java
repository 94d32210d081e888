package io.distributedlock.it.redlock;

import java.util.List;

import io.distributedlock.backend.redlock.RedlockEndpoint;
import io.distributedlock.backend.redlock.RedlockLockBackendContract;
import io.distributedlock.it.FurtherTopology;

/**
 * The contract of all stores on five nodes, two of which are down from the start.
 */
@FurtherTopology
class MinorityDownLockBackendContractIntegrationTests extends RedlockLockBackendContract {

	private static final List<RedlockEndpoint> ENDPOINTS = RedlockServers.shared().first(3).endpointsAndMissing(2);

	@Override
	protected List<RedlockEndpoint> endpoints() {
		return ENDPOINTS;
	}

}
