package io.distributedlock.it.redis;

import java.util.List;

import io.distributedlock.it.stores.SecretsContract;

/**
 * Secrets of a Redis with a user of its own for the locks.
 */
class RedisSecretsIntegrationTests extends SecretsContract {

	@Override
	protected List<String> properties(String password) {
		return List.of("lock.backend=redis", "lock.key-prefix=lock:secrets:",
				"spring.ssl.bundle.pem.locks.truststore.certificate=file:" + SecuredRedis.certificate().certificate(),
				"spring.data.redis.ssl.bundle=locks", "spring.data.redis.url=rediss://" + SecuredRedis.USER + ":"
						+ password + "@127.0.0.1:" + SecuredRedis.port());
	}

	@Override
	protected String password() {
		return SecuredRedis.PASSWORD;
	}

}
