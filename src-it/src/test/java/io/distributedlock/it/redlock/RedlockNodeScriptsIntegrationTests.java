package io.distributedlock.it.redlock;

import io.distributedlock.backend.redlock.NodeScriptsContract;
import io.distributedlock.backend.redlock.RedlockEndpoint;

/**
 * The scripts at a server.
 */
class RedlockNodeScriptsIntegrationTests extends NodeScriptsContract {

	@Override
	protected RedlockEndpoint endpoint() {
		return RedlockServers.shared().endpoints().get(0);
	}

}
