package io.distributedlock.it.redlock;

import java.util.List;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

import io.distributedlock.backend.redlock.RedlockEndpoint;
import io.distributedlock.backend.redlock.RedlockLockBackendContract;

/**
 * The contract of all stores on three nodes.
 */
class RedlockLockBackendContractIntegrationTests extends RedlockLockBackendContract {

	private static RedlockServers servers;

	@BeforeAll
	static void start() {
		servers = RedlockServers.start(3);
	}

	@AfterAll
	static void end() {
		servers.kill();
	}

	@Override
	protected List<RedlockEndpoint> endpoints() {
		return servers.endpoints();
	}

}
