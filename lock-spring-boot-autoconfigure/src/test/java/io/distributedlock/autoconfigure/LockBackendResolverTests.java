package io.distributedlock.autoconfigure;

import java.util.Locale;
import java.util.Optional;

import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Fallback;
import org.springframework.context.annotation.Primary;

import io.distributedlock.LockTemplate;
import io.distributedlock.backend.local.LocalLockBackend;
import io.distributedlock.backend.local.LocalStore;
import io.distributedlock.contract.VirtualLockClock;
import io.distributedlock.engine.LockEngine;
import io.distributedlock.spi.LockBackend;
import io.distributedlock.spi.LockClock;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LockBackendResolver}, with stores in addition to our own.
 */
class LockBackendResolverTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class));

	@Test
	void storeThatIsTheOnlyOneIsTaken() {
		this.runner.withUserConfiguration(Apple.class)
			.run((context) -> assertThat(chosen(context)).isSameAs(context.getBean("appleLockBackend")));
	}

	@Test
	void localStoreIsTakenOnlyByName() {
		this.runner.withPropertyValues("lock.backend=local")
			.run((context) -> assertThat(chosen(context)).isSameAs(context.getBean("localLockBackend")));
		this.runner.withUserConfiguration(Apple.class)
			.run((context) -> assertThat(context).doesNotHaveBean("localLockBackend"));
	}

	@Test
	void namedStoreIsTakenAndTheOtherOneIsNotSetUp() {
		this.runner.withUserConfiguration(Apple.class, Pear.class)
			.withPropertyValues("lock.backend=pear")
			.run((context) -> {
				assertThat(chosen(context)).isSameAs(context.getBean("pearLockBackend"));
				assertThat(context).doesNotHaveBean("appleLockBackend");
			});
	}

	@Test
	void backendOfTheApplicationTakesThePlaceOfTheStores() {
		this.runner.withUserConfiguration(OwnBackend.class, Apple.class).run((context) -> {
			assertThat(chosen(context)).isSameAs(context.getBean("own"));
			assertThat(context).doesNotHaveBean("appleLockBackend");
			assertThat(context.getBean(LockTemplate.class).tryAcquire("k")).isPresent();
		});
	}

	@Test
	void namedStoreIsTakenBesideABackendOfTheApplication() {
		this.runner.withUserConfiguration(OwnBackend.class, Apple.class)
			.withPropertyValues("lock.backend=apple")
			.run((context) -> assertThat(chosen(context)).isSameAs(context.getBean("appleLockBackend")));
	}

	@Test
	void backendOfTheApplicationIsTakenByItsName() {
		this.runner.withUserConfiguration(OwnBackend.class, OtherBackend.class)
			.withPropertyValues("lock.backend=other")
			.run((context) -> assertThat(chosen(context)).isSameAs(context.getBean("other")));
	}

	@Test
	void backendOfTheApplicationMayHaveTheNameOfAStore() {
		this.runner.withBean("local", LockBackend.class, LockBackendResolverTests::backend)
			.withPropertyValues("lock.backend=local")
			.run((context) -> assertThat(chosen(context)).isSameAs(context.getBean("local")));
	}

	@Test
	void beanWithTheNameOfOursTakesItsPlace() {
		this.runner.withBean("localLockBackend", LockBackend.class, LockBackendResolverTests::backend)
			.withPropertyValues("lock.backend=local")
			.run((context) -> assertThat(context).hasNotFailed().hasSingleBean(LockBackend.class));
	}

	@Test
	void primaryBackendOfTheApplicationIsTaken() {
		this.runner.withUserConfiguration(OwnBackend.class, PrimaryBackend.class)
			.run((context) -> assertThat(chosen(context)).isSameAs(context.getBean("primary")));
	}

	@Test
	void severalStoresEndTheStartWithWhatToWrite() {
		this.runner.withUserConfiguration(Pear.class, Apple.class).run((context) -> {
			FailureAnalysis analysis = analysis(context);
			assertThat(analysis.getDescription())
				.isEqualTo("Several stores could keep the locks, and nothing says which one is to: apple, pear.");
			assertThat(analysis.getAction())
				.isEqualTo("Set 'lock.backend' to one of them, for example 'lock.backend=apple'.");
		});
	}

	@Test
	void severalBackendsOfTheApplicationEndTheStartWithWhatToWrite() {
		this.runner.withUserConfiguration(OwnBackend.class, OtherBackend.class).run((context) -> {
			FailureAnalysis analysis = analysis(context);
			assertThat(analysis.getDescription()).isEqualTo("Several beans of type io.distributedlock.spi.LockBackend"
					+ " could keep the locks, and nothing says which one is to: 'own', 'other'.");
			assertThat(analysis.getAction())
				.isEqualTo("Set 'lock.backend' to the name of one of them, or mark one as @Primary.");
		});
	}

	@Test
	void noStoreEndsTheStartWithWhatToAddForEach() {
		this.runner.run((context) -> {
			FailureAnalysis analysis = analysis(context);
			assertThat(analysis.getDescription()).isEqualTo("""
					There is no store that could keep the locks:

					  - etcd: there is neither a jetcd Client nor 'lock.etcd.endpoints'
					  - jdbc: there is no DataSource
					  - redis: there is no RedisConnectionFactory
					  - redlock: no nodes are configured
					  - zookeeper: there is neither a CuratorFramework nor 'lock.zookeeper.connect-string'
					  - local: is used only when 'lock.backend' names it""");
			assertThat(analysis.getAction()).isEqualTo(
					"""
							Set up one of the stores, or declare a bean of type io.distributedlock.spi.LockBackend:

							  - etcd: set 'lock.etcd.endpoints', or declare a bean of type io.etcd.jetcd.Client
							  - jdbc: add the dependency 'org.springframework.boot:spring-boot-starter-jdbc' and the driver of\
							 the database, and set 'spring.datasource.url'
							  - redis: add the dependency 'org.springframework.boot:spring-boot-starter-data-redis', and set\
							 'spring.data.redis.url'
							  - redlock: set 'lock.redlock.nodes' to the URLs of an odd number of independent Redis servers
							  - zookeeper: add the dependency 'org.springframework.integration:spring-integration-zookeeper', and\
							 set 'lock.zookeeper.connect-string'
							  - local: set 'lock.backend=local'""");
		});
	}

	@Test
	void namedStoreThatIsNotThereEndsTheStartWithWhatToAdd() {
		this.runner.withUserConfiguration(Absent.class).withPropertyValues("lock.backend=absent").run((context) -> {
			FailureAnalysis analysis = analysis(context);
			assertThat(analysis.getDescription())
				.isEqualTo("The store 'absent', which 'lock.backend' names, can't be used: the tree is bare.");
			assertThat(analysis.getAction()).isEqualTo("To use it: wait for the summer.");
		});
	}

	@Test
	void unknownNameEndsTheStartWithTheNamesThereAre() {
		this.runner.withUserConfiguration(OwnBackend.class).withPropertyValues("lock.backend=jdcb").run((context) -> {
			FailureAnalysis analysis = analysis(context);
			assertThat(analysis.getDescription())
				.isEqualTo("'lock.backend' names 'jdcb', which is neither a store nor the"
						+ " name of a bean of type io.distributedlock.spi.LockBackend.");
			assertThat(analysis.getAction()).isEqualTo(
					"Name a store (etcd, jdbc, redis, redlock, zookeeper, local) or a bean ('own'), or declare a bean with this name.");
		});
	}

	@Test
	void blankNameCountsAsNone() {
		this.runner.withUserConfiguration(Apple.class)
			.withPropertyValues("lock.backend= ")
			.run((context) -> assertThat(chosen(context)).isSameAs(context.getBean("appleLockBackend")));
	}

	private static LockBackend chosen(AssertableApplicationContext context) {
		return StoreBehind.of(context.getBean(LockEngine.class));
	}

	private static FailureAnalysis analysis(AssertableApplicationContext context) {
		return StartFailures.analyze(context);
	}

	private static LockBackend backend() {
		LockClock clock = new VirtualLockClock();
		return new LocalLockBackend(new LocalStore(clock), "test", clock);
	}

	/**
	 * A store that is present.
	 */
	abstract static class FruitStore implements LockStore {

		@Override
		public String name() {
			return getClass().getSimpleName().replace("Store", "").toLowerCase(Locale.ROOT);
		}

		@Override
		public Optional<Absence> absence(ConfigurableListableBeanFactory beanFactory) {
			return Optional.empty();
		}

	}

	static class AppleStore extends FruitStore {

	}

	static class PearStore extends FruitStore {

	}

	static class AbsentStore extends FruitStore {

		@Override
		public Optional<Absence> absence(ConfigurableListableBeanFactory beanFactory) {
			return Optional.of(new Absence("the tree is bare", "wait for the summer"));
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Apple {

		@Bean
		AppleStore appleStore() {
			return new AppleStore();
		}

		@Bean
		@Fallback
		@ConditionalOnLockStore(AppleStore.class)
		LockBackend appleLockBackend() {
			return backend();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Pear {

		@Bean
		PearStore pearStore() {
			return new PearStore();
		}

		@Bean
		@Fallback
		@ConditionalOnLockStore(PearStore.class)
		LockBackend pearLockBackend() {
			return backend();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Absent {

		@Bean
		AbsentStore absentStore() {
			return new AbsentStore();
		}

		@Bean
		@Fallback
		@ConditionalOnLockStore(AbsentStore.class)
		LockBackend absentLockBackend() {
			return backend();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OwnBackend {

		@Bean
		LockBackend own() {
			return backend();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OtherBackend {

		@Bean
		LockBackend other() {
			return backend();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class PrimaryBackend {

		@Bean
		@Primary
		LockBackend primary() {
			return backend();
		}

	}

}
