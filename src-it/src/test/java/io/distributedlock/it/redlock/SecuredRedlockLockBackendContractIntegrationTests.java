package io.distributedlock.it.redlock;

import java.util.List;

import io.lettuce.core.SslOptions;

import io.distributedlock.backend.redlock.RedlockEndpoint;
import io.distributedlock.backend.redlock.RedlockLockBackendContract;
import io.distributedlock.it.FurtherTopology;

/**
 * The contract of all stores on three nodes with TLS and the least rights.
 */
@FurtherTopology
class SecuredRedlockLockBackendContractIntegrationTests extends RedlockLockBackendContract {

	@Override
	protected List<RedlockEndpoint> endpoints() {
		return SecuredRedlock.endpoints();
	}

	@Override
	protected SslOptions tls() {
		return SecuredRedlock.tls();
	}

}
