package io.distributedlock.it.redis;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import io.distributedlock.Lease;
import io.distributedlock.LockTemplate;
import io.distributedlock.autoconfigure.LockAutoConfiguration;
import io.distributedlock.engine.EngineConnection;
import io.distributedlock.engine.LockEngine;
import io.distributedlock.it.net.TcpProxy;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What can be read on the network between an application and its Redis if TLS is
 * configured.
 */
class EncryptedRedisIntegrationTests {

	@ParameterizedTest
	@CsvSource({ "lettuce,bundle", "jedis,bundle", "lettuce,url", "jedis,url" })
	void nothingIsReadableOnTheWire(String driver, String how) {
		try (TcpProxy wire = TcpProxy.recording(SecuredRedis.port())) {
			new ApplicationContextRunner()
				.withConfiguration(AutoConfigurations.of(SslAutoConfiguration.class, DataRedisAutoConfiguration.class,
						LockAutoConfiguration.class))
				.withPropertyValues(
						"spring.ssl.bundle.pem.locks.truststore.certificate=file:"
								+ SecuredRedis.certificate().certificate(),
						"spring.data.redis.ssl.bundle=locks", "spring.data.redis.client-type=" + driver)
				.withPropertyValues(how.equals("url")
						? new String[] { "spring.data.redis.url=rediss://" + SecuredRedis.USER + ":"
								+ SecuredRedis.PASSWORD + "@127.0.0.1:" + wire.port() }
						: new String[] { "spring.data.redis.host=127.0.0.1", "spring.data.redis.port=" + wire.port(),
								"spring.data.redis.username=" + SecuredRedis.USER,
								"spring.data.redis.password=" + SecuredRedis.PASSWORD })
				.run((context) -> {
					assertThat(context).hasNotFailed();
					LockTemplate locks = context.getBean(LockTemplate.class);
					String key = "readable:" + RedisTestClient.newKey();
					Lease lease = locks.acquire(key);
					CompletableFuture<Lease> waiter = locks.acquireAsync(key).toCompletableFuture();
					try (RedisTestClient other = new RedisTestClient(SecuredRedis.lettuce())) {
						other.attempt(key);
					}
					lease.release();
					waiter.orTimeout(20, TimeUnit.SECONDS).join().release();
				});

			assertThat(wire.requests().recorded()).isNotEmpty()
				.doesNotContain(SecuredRedis.PASSWORD)
				.doesNotContain("readable:")
				.doesNotContain("released")
				.doesNotContainIgnoringCase("EVALSHA");
		}
	}

	@ParameterizedTest
	@CsvSource({ "lettuce", "jedis" })
	void schemeAloneIsNeverSpokenPlainly(String driver) {
		try (TcpProxy wire = TcpProxy.recording(SecuredRedis.port())) {
			new ApplicationContextRunner()
				.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, LockAutoConfiguration.class))
				.withPropertyValues("spring.data.redis.client-type=" + driver,
						"spring.data.redis.url=rediss://" + SecuredRedis.USER + ":" + SecuredRedis.PASSWORD
								+ "@127.0.0.1:" + wire.port(),
						"lock.fail-fast=false")
				.run((context) -> {
					// The server's certificate is not signed by an authority that the
					// platform trusts.
					assertThat(context).hasNotFailed();
					assertThat(EngineConnection.of(context.getBean(LockEngine.class))
						.find("readable:x")
						.toCompletableFuture()).failsWithin(Duration.ofSeconds(20));
				});

			assertThat(wire.requests().recorded()).doesNotContain(SecuredRedis.PASSWORD).doesNotContain("readable:");
		}
	}

}
