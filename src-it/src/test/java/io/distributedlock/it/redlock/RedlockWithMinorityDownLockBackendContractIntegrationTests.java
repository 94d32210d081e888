package io.distributedlock.it.redlock;

import java.util.List;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

import io.distributedlock.backend.redlock.RedlockEndpoint;
import io.distributedlock.backend.redlock.RedlockLockBackendContract;

/**
 * The contract of all stores on five nodes, two of which are down from the start.
 */
class RedlockWithMinorityDownLockBackendContractIntegrationTests extends RedlockLockBackendContract {

	private static RedlockServers servers;

	private static List<RedlockEndpoint> endpoints;

	@BeforeAll
	static void start() {
		servers = RedlockServers.start(3);
		endpoints = servers.endpointsAndMissing(2);
	}

	@AfterAll
	static void end() {
		servers.kill();
	}

	@Override
	protected List<RedlockEndpoint> endpoints() {
		return endpoints;
	}

}
