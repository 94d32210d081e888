package io.distributedlock.autoconfigure;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.integration.zookeeper.config.CuratorFrameworkFactoryBean;

import io.distributedlock.backend.zookeeper.ZooKeeperLockBackend;
import io.distributedlock.backend.zookeeper.ZooKeeperLockSettings;
import io.distributedlock.engine.LockEngine;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the locks in ZooKeeper, without a server.
 */
class ZooKeeperLockAutoConfigurationTests {

	private static final String NOWHERE = "127.0.0.1:1";

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class))
		.withPropertyValues("lock.fail-fast=false", "lock.call-timeout=20ms");

	private final ApplicationContextRunner configured = this.runner
		.withPropertyValues("lock.zookeeper.connect-string=" + NOWHERE);

	@Test
	void serversOfThePropertiesKeepTheLocks() {
		this.configured.run((context) -> {
			assertThat(StoreBehind.of(context.getBean(LockEngine.class))).isInstanceOf(ZooKeeperLockBackend.class);
			assertThat(context.getBean(LockCurator.class).get().getZookeeperClient().getCurrentConnectionString())
				.isEqualTo(NOWHERE);
			assertThat(context.getBean(ZooKeeperLockSettings.class).root()).isEqualTo("/locks");
		});
	}

	@Test
	void curatorOfTheApplicationComesFirst() {
		this.configured.withUserConfiguration(OneCurator.class)
			.run((context) -> assertThat(context.getBean(LockCurator.class).get())
				.isSameAs(context.getBean(CuratorFramework.class)));
	}

	@Test
	void curatorOfAFactoryBeanIsFound() {
		this.runner.withUserConfiguration(CuratorOfAFactory.class)
			.run((context) -> assertThat(context.getBean(LockCurator.class).get())
				.isSameAs(context.getBean(CuratorFramework.class)));
	}

	@Test
	void primaryOneOfSeveralCuratorsIsMeant() {
		this.runner.withUserConfiguration(OneCurator.class, PrimaryCurator.class)
			.run((context) -> assertThat(context.getBean(LockCurator.class).get())
				.isSameAs(context.getBean("primaryCurator")));
	}

	@Test
	void severalCuratorsEndTheStart() {
		this.runner.withPropertyValues("lock.backend=zookeeper")
			.withUserConfiguration(OneCurator.class, CuratorOfAFactory.class)
			.run((context) -> {
				FailureAnalysis analysis = StartFailures.analyze(context);
				assertThat(analysis.getDescription()).contains("several CuratorFrameworks", "'curator'", "'factory'");
				assertThat(analysis.getAction()).contains("@Primary");
			});
	}

	@Test
	void connectionDetailsReplaceTheProperties() {
		this.configured.withUserConfiguration(Details.class)
			.run((context) -> assertThat(
					context.getBean(LockCurator.class).get().getZookeeperClient().getCurrentConnectionString())
				.isEqualTo("127.0.0.1:2"));
	}

	@Test
	void storeThatIsNamedAndHasNoServersEndsTheStart() {
		this.runner.withPropertyValues("lock.backend=zookeeper").run((context) -> {
			FailureAnalysis analysis = StartFailures.analyze(context);
			assertThat(analysis.getDescription()).contains("'lock.zookeeper.connect-string'");
			assertThat(analysis.getAction()).contains("set 'lock.zookeeper.connect-string'");
		});
	}

	@Test
	void withoutCuratorOnTheClassPathTheStoreIsMissed() {
		this.configured.withPropertyValues("lock.backend=zookeeper")
			.withClassLoader(new FilteredClassLoader("org.apache.curator", "org.apache.zookeeper"))
			.run((context) -> {
				FailureAnalysis analysis = StartFailures.analyze(context);
				assertThat(analysis.getDescription()).contains("Curator is not on the class path");
				assertThat(analysis.getAction())
					.contains("org.springframework.integration:spring-integration-zookeeper");
			});
	}

	@Test
	void withoutCuratorOnTheClassPathOtherStoresWork() {
		this.runner.withPropertyValues("lock.backend=local")
			.withClassLoader(new FilteredClassLoader("org.apache.curator", "org.apache.zookeeper"))
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void propertiesThatMakeNoSenseEndTheStartByName() {
		assertRefused("lock.zookeeper.root=locks", "lock.zookeeper.root");
		assertRefused("lock.zookeeper.root=/", "lock.zookeeper.root");
		assertRefused("lock.zookeeper.session-timeout=0s", "lock.zookeeper.session-timeout");
		assertRefused("lock.zookeeper.connection-timeout=-1s", "lock.zookeeper.connection-timeout");
		assertRefused("lock.zookeeper.auth=s3cret", "lock.zookeeper.auth");
		assertRefused("lock.zookeeper.ssl.bundle=missing", "lock.zookeeper.ssl.bundle");
	}

	private void assertRefused(String property, String named) {
		this.configured.withPropertyValues(property).run((context) -> {
			assertThat(context).as(property).hasFailed();
			assertThat(StartFailures.analyze(context).getDescription()).as(property)
				.contains(named)
				.doesNotContain("s3cret");
		});
	}

	private static CuratorFramework create(String connectString) {
		return CuratorFrameworkFactory.newClient(connectString, new RetryOneTime(100));
	}

	@Configuration(proxyBeanMethods = false)
	static class OneCurator {

		@Bean(initMethod = "start", destroyMethod = "close")
		CuratorFramework curator() {
			return create("127.0.0.1:3");
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class PrimaryCurator {

		@Bean(initMethod = "start", destroyMethod = "close")
		@Primary
		CuratorFramework primaryCurator() {
			return create("127.0.0.1:4");
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class CuratorOfAFactory {

		@Bean
		CuratorFrameworkFactoryBean factory() {
			return new CuratorFrameworkFactoryBean("127.0.0.1:5");
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Details {

		@Bean
		ZooKeeperConnectionDetails details() {
			return () -> "127.0.0.1:2";
		}

	}

}
