package io.distributedlock.it.stores;

import java.util.List;
import java.util.UUID;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import io.distributedlock.Lease;
import io.distributedlock.LockTemplate;
import io.distributedlock.autoconfigure.LockAutoConfiguration;
import io.distributedlock.engine.LockEngine;
import io.distributedlock.engine.LockEngines;
import io.distributedlock.it.etcd.EtcdServer;
import io.distributedlock.it.etcd.RequiresEtcd;
import io.distributedlock.it.redis.RedisServer;
import io.distributedlock.it.redlock.RedlockServers;
import io.distributedlock.it.zookeeper.ZooKeeperServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of an application with connected clients of all stores, and one Netty for those
 * that use it.
 */
@RequiresEtcd
class EveryStoreIntegrationTests {

	private static final String NODES = RedlockServers.shared()
		.first(3)
		.all()
		.stream()
		.map((server) -> "redis://127.0.0.1:" + server.port())
		.collect(Collectors.joining(","));

	private final String key = "stores:" + UUID.randomUUID();

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class, DataRedisAutoConfiguration.class,
				LockAutoConfiguration.class))
		.withPropertyValues("spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID(),
				"lock.jdbc.initialize-schema=embedded", "spring.data.redis.host=127.0.0.1",
				"spring.data.redis.port=" + RedisServer.port(), "lock.etcd.endpoints=" + EtcdServer.url(),
				"lock.zookeeper.connect-string=" + ZooKeeperServer.connectString(), "lock.redlock.nodes=" + NODES,
				"lock.redlock.node-timeout=2s", "lock.redlock.quarantine-on-empty=false",
				"lock.key-prefix=" + UUID.randomUUID() + ":");

	@ParameterizedTest
	@ValueSource(strings = { "jdbc", "redis", "redlock", "zookeeper", "etcd", "local" })
	void eachIsChosenInItsTurn(String store) {
		this.runner.withPropertyValues("lock.backend=" + store).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(context.getBean(LockEngine.class).backend().name()).isEqualTo(store);
			LockTemplate template = context.getBean(LockTemplate.class);
			long first = template.execute(this.key, Lease::fencingToken);
			Lease lease = template.acquire(this.key);
			assertThat(template.tryAcquire(this.key)).isEmpty();
			assertThat(lease.fencingToken()).isGreaterThan(first);
			assertThat(lease.release()).isTrue();
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "jdbc", "redis", "redlock", "zookeeper", "etcd" })
	void applicationsWithDifferentPrefixesDoNotLockEachOtherOut(String store) {
		this.runner.withPropertyValues("lock.backend=" + store, "lock.key-prefix=shop:", "lock.wait-time=0s")
			.run((shop) -> {
				Lease lease = shop.getBean(LockTemplate.class).acquire("eu:" + this.key);
				List.of("shop", "shop:eu:", "").forEach((prefix) -> {
					String rest = ("shop:eu:" + this.key).substring(prefix.length());
					this.runner.withPropertyValues("lock.backend=" + store, "lock.key-prefix=" + prefix)
						.run((other) -> assertThat(other.getBean(LockTemplate.class).tryAcquire(rest))
							.as("'%s'", prefix)
							.isPresent());
				});
				this.runner.withPropertyValues("lock.backend=" + store, "lock.key-prefix=shop:")
					.run((same) -> assertThat(same.getBean(LockTemplate.class).tryAcquire("eu:" + this.key)).isEmpty());
				assertThat(lease.release()).isTrue();
			});
	}

	@ParameterizedTest
	@ValueSource(strings = { "jdbc", "redis", "redlock", "zookeeper", "etcd", "local" })
	void eachIsTheDefaultOneOfAllInItsTurn(String store) {
		this.runner.withPropertyValues("lock.backends=jdbc,redis,redlock,zookeeper,etcd,local", "lock.backend=" + store)
			.run((context) -> {
				assertThat(context).hasNotFailed();
				LockTemplate template = context.getBean(LockTemplate.class);
				Lease lease = template.acquire(this.key);

				for (LockEngine engine : context.getBean(LockEngines.class).all()) {
					String other = engine.name();
					assertThat(context.getBean(other + "LockTemplate", LockTemplate.class)
						.tryAcquire(this.key)
						.isPresent()).as(other).isNotEqualTo(other.equals(store));
				}
				assertThat(lease.release()).isTrue();
			});
	}

	@Test
	void noneIsChosenByAccident() {
		this.runner.run((context) -> assertThat(context).getFailure()
			.rootCause()
			.hasMessageContaining("Several stores could keep the locks")
			.satisfies((ex) -> assertThat(ex.getMessage()).contains("etcd", "jdbc", "redis", "redlock", "zookeeper")));
	}

}
