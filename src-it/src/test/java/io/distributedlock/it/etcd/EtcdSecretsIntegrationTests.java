package io.distributedlock.it.etcd;

import java.util.List;

import io.distributedlock.it.stores.SecretsContract;

/**
 * Tests for the secrets of an etcd that requires authentication.
 */
@RequiresEtcd
class EtcdSecretsIntegrationTests extends SecretsContract {

	@Override
	protected List<String> properties(String password) {
		return List.of("lock.backend=etcd", "lock.etcd.endpoints=" + SecuredEtcd.url(),
				"lock.etcd.user=" + SecuredEtcd.USER, "lock.etcd.password=" + password, "lock.etcd.ssl.bundle=locks",
				"spring.ssl.bundle.pem.locks.truststore.certificate=" + SecuredEtcd.certificate());
	}

	@Override
	protected String password() {
		return SecuredEtcd.PASSWORD;
	}

}
