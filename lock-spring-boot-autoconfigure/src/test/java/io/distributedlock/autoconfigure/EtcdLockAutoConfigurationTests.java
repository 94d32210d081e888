package io.distributedlock.autoconfigure;

import java.util.List;

import io.etcd.jetcd.Client;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.test.util.ReflectionTestUtils;

import io.distributedlock.LockTemplate;
import io.distributedlock.backend.etcd.EtcdLockBackend;
import io.distributedlock.engine.LockEngine;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the locks in etcd, without a server.
 */
class EtcdLockAutoConfigurationTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(SslAutoConfiguration.class, LockAutoConfiguration.class))
		.withPropertyValues("lock.fail-fast=false", "lock.call-timeout=50ms");

	private final ApplicationContextRunner configured = this.runner
		.withPropertyValues("lock.etcd.endpoints=127.0.0.1:1,http://127.0.0.1:2");

	@Test
	void etcdThatThePropertiesNameKeepsTheLocks() {
		this.configured.run((context) -> {
			assertThat(StoreBehind.of(context.getBean(LockEngine.class))).isInstanceOf(EtcdLockBackend.class);
			assertThat(context).hasSingleBean(PropertiesEtcdConnectionDetails.class);
			assertThat(context).doesNotHaveBean(Client.class);
		});
	}

	@Test
	void clientOfTheApplicationIsUsedAndLeftOpen() {
		this.runner.withUserConfiguration(OneClient.class).run((context) -> {
			assertThat(StoreBehind.of(context.getBean(LockEngine.class))).isInstanceOf(EtcdLockBackend.class);
			Client client = context.getBean(Client.class);

			context.getBean(LockEngine.class).stop();

			// A closed client refuses to watch.
			assertThat(ReflectionTestUtils.getField(client.getWatchClient(), "closed")).hasToString("false");
		});
	}

	@Test
	void connectionDetailsTakeThePlaceOfTheProperties() {
		this.runner.withUserConfiguration(OwnDetails.class).run((context) -> {
			assertThat(StoreBehind.of(context.getBean(LockEngine.class))).isInstanceOf(EtcdLockBackend.class);
			assertThat(context).doesNotHaveBean(PropertiesEtcdConnectionDetails.class);
		});
	}

	@Test
	void serverThatIsNotThereEndsTheStartWithWhatItSays() {
		this.configured.withPropertyValues("lock.fail-fast=true", "lock.startup-timeout=100ms").run((context) -> {
			FailureAnalysis analysis = StartFailures.analyze(context);
			assertThat(analysis.getDescription()).startsWith("The store 'etcd' at ")
				.contains(" can't keep the locks: ");
			assertThat(analysis.getAction()).contains("lock.fail-fast=false");
		});
	}

	@Test
	void etcdBesideADatabaseEndsTheStartUntilOneIsNamed() {
		ApplicationContextRunner both = this.configured
			.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class))
			.withPropertyValues("spring.datasource.url=" + JdbcLockAutoConfigurationTests.url());

		both.run((context) -> assertThat(StartFailures.analyze(context).getDescription())
			.isEqualTo("Several stores could keep the locks, and nothing says which one is to: etcd, jdbc."));
		both.withPropertyValues("lock.backend=etcd")
			.run((context) -> assertThat(StoreBehind.of(context.getBean(LockEngine.class)))
				.isInstanceOf(EtcdLockBackend.class));
	}

	@Test
	void withoutJetcdOnTheClassPathTheStoreIsMissed() {
		withoutJetcd().withPropertyValues("lock.backend=etcd", "lock.etcd.endpoints=127.0.0.1:1").run((context) -> {
			FailureAnalysis analysis = StartFailures.analyze(context);
			assertThat(analysis.getDescription()).isEqualTo(
					"The store 'etcd', which 'lock.backend' names, can't be used: jetcd is not on the class path.");
			assertThat(analysis.getAction())
				.isEqualTo("To use it: add the dependency 'io.etcd:jetcd-core', and set 'lock.etcd.endpoints'.");
		});
	}

	@Test
	void withoutJetcdOnTheClassPathOtherStoresWork() {
		withoutJetcd().withPropertyValues("lock.backend=local")
			.run((context) -> assertThat(context.getBean(LockTemplate.class).tryAcquire("k")).isPresent());
	}

	@Test
	void withoutMembersTheStoreIsMissed() {
		this.runner.withPropertyValues("lock.backend=etcd").run((context) -> {
			FailureAnalysis analysis = StartFailures.analyze(context);
			assertThat(analysis.getDescription()).isEqualTo("The store 'etcd', which 'lock.backend' names, can't be"
					+ " used: there is neither a jetcd Client nor 'lock.etcd.endpoints'.");
			assertThat(analysis.getAction()).isEqualTo(
					"To use it: set 'lock.etcd.endpoints', or declare a bean of type" + " io.etcd.jetcd.Client.");
		});
	}

	@Test
	void addressThatIsNoneEndsTheStart() {
		this.runner.withPropertyValues("lock.etcd.endpoints=127.0.0.1:1,http://").run((context) -> {
			FailureAnalysis analysis = StartFailures.analyze(context);
			assertThat(analysis.getDescription())
				.isEqualTo("'http://', one of 'lock.etcd.endpoints', is not the address of a member.");
			assertThat(analysis.getAction()).contains("'etcd1:2379,etcd2:2379,etcd3:2379'");
		});
	}

	@Test
	void sessionThatEndsTooSoonEndsTheStart() {
		this.configured.withPropertyValues("lock.etcd.session-ttl=1999ms")
			.run((context) -> assertThat(StartFailures.analyze(context).getDescription())
				.contains("lock.etcd.session-ttl")
				.contains("It must be between 2s and 1d"));
	}

	@Test
	void userWithoutAPasswordEndsTheStart() {
		this.configured.withPropertyValues("lock.etcd.user=locks")
			.run((context) -> assertThat(StartFailures.analyze(context).getAction())
				.isEqualTo("Set 'lock.etcd.password', or neither of the two."));
	}

	@Test
	void sslBundleThatDoesNotExistEndsTheStart() {
		this.configured.withPropertyValues("lock.etcd.ssl.bundle=none")
			.run((context) -> assertThat(StartFailures.analyze(context).getDescription())
				.isEqualTo("The SSL bundle 'none', which 'lock.etcd.ssl.bundle' names, does not exist."));
	}

	@Test
	void bundleForPlainTextEndsTheStart() {
		this.runner
			.withPropertyValues("lock.etcd.endpoints=http://127.0.0.1:1", "lock.etcd.ssl.bundle=locks",
					"spring.ssl.bundle.jks.locks.truststore.location=file:" + System.getProperty("java.home")
							+ "/lib/security/cacerts")
			.run((context) -> {
				FailureAnalysis analysis = StartFailures.analyze(context);
				assertThat(analysis.getDescription()).isEqualTo("'lock.etcd.ssl.bundle' is set, but"
						+ " 'lock.etcd.endpoints' asks for plain text: [http://127.0.0.1:1].");
				assertThat(analysis.getAction()).contains("'https://'");
			});
	}

	@Test
	void differentSchemesEndTheStart() {
		this.runner.withPropertyValues("lock.etcd.endpoints=https://127.0.0.1:1,127.0.0.1:2")
			.run((context) -> assertThat(StartFailures.analyze(context).getDescription())
				.isEqualTo("The members in 'lock.etcd.endpoints' have different schemes:"
						+ " [https://127.0.0.1:1, http://127.0.0.1:2]."));
	}

	@Test
	void schemeThatIsNotKnownEndsTheStart() {
		this.runner.withPropertyValues("lock.etcd.endpoints=etcds://127.0.0.1:1")
			.run((context) -> assertThat(StartFailures.analyze(context).getDescription())
				.isEqualTo("'etcds://127.0.0.1:1', one of 'lock.etcd.endpoints', is not the address of a member."));
	}

	@Test
	void severalClientsWithoutPrimaryEndTheStartWithWhatToWrite() {
		this.runner.withUserConfiguration(TwoClients.class).withPropertyValues("lock.backend=etcd").run((context) -> {
			FailureAnalysis analysis = StartFailures.analyze(context);
			assertThat(analysis.getDescription())
				.contains("there are several jetcd Clients ('first', 'second') and none of them is @Primary");
			assertThat(analysis.getAction()).contains("mark one of the jetcd Clients as @Primary");
		});
	}

	@Test
	void primaryClientAmongSeveralIsTaken() {
		this.runner.withUserConfiguration(TwoClientsOnePrimary.class)
			.run((context) -> assertThat(StoreBehind.of(context.getBean(LockEngine.class)))
				.isInstanceOf(EtcdLockBackend.class));
	}

	@Test
	void propertiesReachTheSettings() {
		this.configured
			.withPropertyValues("lock.key-prefix=shop:", "lock.instance-id=shop@one", "lock.token-retention=48h",
					"lock.etcd.session-ttl=5s", "lock.etcd.namespace=shop/")
			.run((context) -> assertThat(context.getBean("etcdLockSettings")).hasToString(
					"EtcdLockSettings[namespace=shop/, keyPrefix=shop:, instanceId=shop@one, callTimeout=PT0.05S,"
							+ " sessionTtl=PT5S, tickRetention=PT48H]"));
	}

	private static ApplicationContextRunner withoutJetcd() {
		return new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class))
			.withClassLoader(new FilteredClassLoader("io.etcd", "io.grpc", "io.vertx"));
	}

	private static Client client() {
		return Client.builder().endpoints("http://127.0.0.1:1").waitForReady(false).build();
	}

	@Configuration(proxyBeanMethods = false)
	static class OneClient {

		@Bean
		Client etcd() {
			return client();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class TwoClients {

		@Bean
		Client first() {
			return client();
		}

		@Bean
		Client second() {
			return client();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class TwoClientsOnePrimary {

		@Bean
		@Primary
		Client primary() {
			return client();
		}

		@Bean
		Client other() {
			return client();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OwnDetails {

		@Bean
		EtcdConnectionDetails details() {
			return () -> List.of("127.0.0.1:1");
		}

	}

}
