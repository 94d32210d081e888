package io.distributedlock.it.zookeeper;

import java.util.List;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.imps.CuratorFrameworkState;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.KeeperException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.integration.zookeeper.config.CuratorFrameworkFactoryBean;

import io.distributedlock.Lease;
import io.distributedlock.LockTemplate;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.autoconfigure.LockAutoConfiguration;
import io.distributedlock.engine.LockEngine;
import io.distributedlock.spi.OwnerId;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for applications that lock in ZooKeeper, with a Curator of their own or with an
 * auto-configured one.
 */
class ZooKeeperApplicationIntegrationTests {

	private static final String CONNECT_STRING = "lock.zookeeper.connect-string=" + ZooKeeperServer.connectString();

	private static final CuratorFramework observer = curator();

	private final String root = "/application-" + OwnerId.random().value().substring(0, 8);

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class))
		.withPropertyValues("lock.backend=zookeeper", "lock.zookeeper.root=" + this.root, "lock.ttl=10s");

	static CuratorFramework curator() {
		return CuratorFrameworkFactory.newClient(ZooKeeperServer.connectString(), new RetryOneTime(100));
	}

	@BeforeAll
	static void connect() {
		observer.start();
	}

	@AfterAll
	static void close() {
		observer.close();
	}

	@Test
	void serversOfThePropertiesKeepTheLocks() {
		this.runner.withPropertyValues(CONNECT_STRING, "lock.instance-id=shop@one").run((context) -> {
			Lease lease = context.getBean(LockTemplate.class).acquire("key");

			assertThat(lease.fencingToken()).isPositive();
			List<String> line = observer.getChildren().forPath(this.root + "/lock:key");
			assertThat(line).hasSize(1);
			assertThat(observer.getData().forPath(this.root + "/lock:key/" + line.get(0))).asString()
				.endsWith("\nshop@one");
			assertThat(context).doesNotHaveBean(CuratorFramework.class);
		});
	}

	@Test
	void curatorOfTheApplicationIsUsedAndNeverClosed() {
		this.runner.withUserConfiguration(OwnCurator.class).run((context) -> {
			CuratorFramework own = context.getBean(CuratorFramework.class);
			context.getBean(LockTemplate.class).acquire("key");
			List<String> line = observer.getChildren().forPath(this.root + "/lock:key");
			assertThat(observer.checkExists().forPath(this.root + "/lock:key/" + line.get(0)).getEphemeralOwner())
				.isEqualTo(own.getZookeeperClient().getZooKeeper().getSessionId());

			context.getBean(LockEngine.class).stop();

			assertThat(own.getState()).isEqualTo(CuratorFrameworkState.STARTED);
			assertThat(observer.getChildren().forPath(this.root + "/lock:key")).isEmpty();
			String session = Long.toHexString(own.getZookeeperClient().getZooKeeper().getSessionId());
			assertThat(observer.getChildren().forPath(this.root + "/.sessions")).containsExactly("closed-" + session);
		});
	}

	@Test
	void curatorOfSpringIntegrationIsUsed() {
		this.runner.withUserConfiguration(IntegrationCurator.class)
			.run((context) -> assertThat(context.getBean(LockTemplate.class).execute("key", Lease::isHeld)).isTrue());
	}

	@Test
	void storeThatIsTheOnlyOneNeedsNoName() {
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class))
			.withPropertyValues(CONNECT_STRING, "lock.zookeeper.root=" + this.root)
			.run((context) -> assertThat(context.getBean(LockEngine.class).backend().name()).isEqualTo("zookeeper"));
	}

	@Test
	void leasesAreReleasedBeforeTheSessionIsClosedAndTheContextCanBeStartedAgain() {
		this.runner.withPropertyValues(CONNECT_STRING).run((context) -> {
			LockTemplate locks = context.getBean(LockTemplate.class);
			Lease lease = locks.acquire("key");

			context.getSourceApplicationContext().stop();

			assertThat(lease.isHeld()).isFalse();
			assertThat(places("key")).isEmpty();
			context.getSourceApplicationContext().start();
			assertThat(locks.tryAcquire("key")).isPresent();
		});
	}

	private List<String> places(String key) throws Exception {
		try {
			return observer.getChildren().forPath(this.root + "/lock:" + key);
		}
		catch (KeeperException.NoNodeException ex) {
			// The server has removed the empty container.
			return List.of();
		}
	}

	@Test
	void nodesWithAuthAreTheirUsersAlone() {
		this.runner.withPropertyValues(CONNECT_STRING, "lock.zookeeper.auth=locks:s3cret").run((context) -> {
			context.getBean(LockTemplate.class).acquire("key");

			assertThatExceptionOfType(KeeperException.NoAuthException.class)
				.isThrownBy(() -> observer.getChildren().forPath(this.root + "/lock:key"));
			assertThatExceptionOfType(KeeperException.NoAuthException.class)
				.isThrownBy(() -> observer.create().forPath(this.root + "/lock:key/intruder"));
			assertThatExceptionOfType(KeeperException.NoAuthException.class)
				.isThrownBy(() -> observer.getChildren().forPath(this.root));
			this.runner.withPropertyValues(CONNECT_STRING, "lock.zookeeper.auth=locks:s3cret")
				.run((other) -> assertThat(other.getBean(LockTemplate.class).tryAcquire("key")).isEmpty());
		});
		this.runner.withPropertyValues(CONNECT_STRING, "lock.zookeeper.auth=locks:wrong")
			.run((context) -> assertThat(context).getFailure().hasStackTraceContaining("lock.zookeeper.auth"));
	}

	@Test
	void serverThatIsNotThereEndsTheStart() {
		this.runner
			.withPropertyValues("lock.zookeeper.connect-string=127.0.0.1:1", "lock.call-timeout=100ms",
					"lock.startup-timeout=100ms")
			.run((context) -> assertThat(context).getFailure().hasStackTraceContaining("can't keep the locks"));
	}

	@Test
	void serverThatIsNotThereDoesNotEndAStartThatMayGoOn() {
		this.runner
			.withPropertyValues("lock.zookeeper.connect-string=127.0.0.1:1", "lock.call-timeout=100ms",
					"lock.startup-timeout=100ms", "lock.fail-fast=false")
			.run((context) -> assertThatExceptionOfType(LockUnavailableException.class)
				.isThrownBy(() -> context.getBean(LockTemplate.class).tryAcquire("key")));
	}

	@Configuration(proxyBeanMethods = false)
	static class OwnCurator {

		@Bean(initMethod = "start", destroyMethod = "close")
		CuratorFramework curator() {
			return ZooKeeperApplicationIntegrationTests.curator();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class IntegrationCurator {

		@Bean
		CuratorFrameworkFactoryBean curator() {
			return new CuratorFrameworkFactoryBean(ZooKeeperServer.connectString());
		}

	}

}
