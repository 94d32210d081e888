package io.distributedlock.it.redlock;

import java.util.List;

import io.distributedlock.it.stores.SecretsContract;

/**
 * Secrets of nodes that have a separate user for the locks.
 */
class RedlockSecretsIntegrationTests extends SecretsContract {

	@Override
	protected List<String> properties(String password) {
		return List.of("lock.backend=redlock", "lock.key-prefix=lock:secrets:", "lock.redlock.node-timeout=2s",
				"lock.redlock.quarantine-on-empty=false", "lock.redlock.ssl.bundle=locks",
				"spring.ssl.bundle.pem.locks.truststore.certificate=file:" + SecuredRedlock.certificate().certificate(),
				"lock.redlock.nodes=" + String.join(",", SecuredRedlock.urls())
					.replace(":" + SecuredRedlock.PASSWORD, ":" + password));
	}

	@Override
	protected String password() {
		return SecuredRedlock.PASSWORD;
	}

}
