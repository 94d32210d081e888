package io.distributedlock.autoconfigure;

import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;

import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;
import org.springframework.integration.support.locks.DefaultLockRegistry;
import org.springframework.integration.support.locks.DistributedLock;
import org.springframework.integration.support.locks.LockRegistry;
import org.springframework.integration.support.locks.RenewableLockRegistry;

import io.distributedlock.InvalidLockRequestException;
import io.distributedlock.Lease;
import io.distributedlock.LeaseLostEvent;
import io.distributedlock.LockContext;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.Locks;
import io.distributedlock.backend.local.LocalLockBackend;
import io.distributedlock.backend.local.LocalStore;
import io.distributedlock.contract.CutOffBackend;
import io.distributedlock.contract.VirtualLockClock;
import io.distributedlock.engine.LockEngine;
import io.distributedlock.engine.LockEngines;
import io.distributedlock.integration.LeaseLockRegistry;
import io.distributedlock.spi.LockBackend;
import io.distributedlock.spi.Scopes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;
import static org.mockito.Mockito.mock;

/**
 * Tests for several stores in one application.
 */
class SeveralStoresAutoConfigurationTests {

	private final ApplicationContextRunner bare = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class, LockAutoConfiguration.class,
				LockRegistryAutoConfiguration.class))
		.withPropertyValues("spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID());

	private final ApplicationContextRunner runner = this.bare.withPropertyValues("lock.backends=jdbc, local",
			"lock.backend=jdbc");

	@Test
	void eachStoreHasAnEngineOfItsOwn() {
		this.runner.run((context) -> {
			LockEngines engines = context.getBean(LockEngines.class);

			assertThat(engines.all()).extracting(LockEngine::name).containsExactly("jdbc", "local");
			assertThat(engines.all()).extracting((engine) -> engine.backend().name()).containsExactly("jdbc", "local");
			assertThat(context.getBean(LockEngine.class)).isSameAs(engines.standard());
			assertThat(context.getBean("localLockEngine")).isSameAs(engines.get("local"));
			assertThat(engines.all()).allMatch(LockEngine::isRunning);
		});
	}

	@Test
	void onlyTheListedStoresAreSetUp() {
		this.bare.withPropertyValues("lock.backends=local")
			.run((context) -> assertThat(context).doesNotHaveBean("jdbcLockBackend").hasBean("localLockBackend"));
		this.bare.withPropertyValues("lock.backend=jdbc")
			.run((context) -> assertThat(context).doesNotHaveBean("localLockBackend")
				.doesNotHaveBean("localLockTemplate")
				.hasBean("jdbcLockBackend"));
	}

	@Test
	void onlyListedStoreIsTheDefaultOne() {
		this.bare.withPropertyValues("lock.backends=local").run((context) -> {
			assertThat(context.getBean(LockEngines.class).all()).extracting(LockEngine::name).containsExactly("local");
			assertThat(context).hasSingleBean(LockTemplate.class).hasSingleBean(LockEngine.class);
		});
	}

	@Test
	void defaultStoreIsInjectedByTypeAndTheOthersByTheirNames() {
		this.runner.withUserConfiguration(InjectionPoints.class).run((context) -> {
			InjectionPoints points = context.getBean(InjectionPoints.class);

			assertThat(points.template).isSameAs(context.getBean("lockTemplate"));
			assertThat(points.localLockTemplate).as("by the name of a parameter").isSameAs(points.template);
			assertThat(points.templates).containsOnlyKeys("lockTemplate");
			assertThat(points.local).isSameAs(context.getBean("localLockTemplate")).isNotSameAs(points.template);
			assertThat(points.locks).isSameAs(context.getBean("locks"));
			assertThat(points.localLocks).isSameAs(context.getBean("localLocks")).isNotSameAs(points.locks);
			assertThat(context.getBean(LockTemplate.class)).isSameAs(points.template);
			assertThat(context.getBean(Locks.class)).isSameAs(points.locks);
		});
	}

	@Test
	void registriesAreInjectedByEachOfTheirTypes() {
		this.runner.withUserConfiguration(RegistryInjectionPoints.class).run((context) -> {
			RegistryInjectionPoints points = context.getBean(RegistryInjectionPoints.class);

			assertThat(points.ofDefault).hasSize(5).containsOnly(context.getBean("lockRegistry"));
			assertThat(points.ofLocal).hasSize(5).containsOnly(context.getBean("localLockRegistry"));
			assertThat(context.getBean("localLockRegistry")).isNotSameAs(context.getBean("lockRegistry"));
			assertThat(context.getBean(LeaseLockRegistry.class)).isSameAs(context.getBean("lockRegistry"));
		});
	}

	@Test
	void defaultStoreIsKnownByItsNameToo() {
		this.runner.run((context) -> {
			assertThat(context.getBean("jdbcLockTemplate")).isSameAs(context.getBean(LockTemplate.class));
			assertThat(context.getBean("jdbcLocks")).isSameAs(context.getBean(Locks.class));
			assertThat(context.getBean("jdbcLockRegistry")).isSameAs(context.getBean(LockRegistry.class));
		});
	}

	@Test
	void locksOfOneKeyAtTwoStoresAreIndependent() {
		this.runner.run((context) -> {
			LockTemplate template = context.getBean(LockTemplate.class);
			LockTemplate local = context.getBean("localLockTemplate", LockTemplate.class);

			Lease lease = template.acquire("k");
			Lease localLease = local.acquire("k");

			assertThat(template.tryAcquire(LockRequest.of("k").backend("local"))).isEmpty();
			assertThat(local.tryAcquire("k")).isEmpty();
			assertThat(context.getBean("localLocks", Locks.class).find("k")).isPresent();
			assertThat(localLease.release()).isTrue();
			assertThat(context.getBean("localLocks", Locks.class).find("k")).isEmpty();
			assertThat(context.getBean(Locks.class).find("k")).isPresent();
			assertThat(lease.isHeld()).isTrue();
			assertThat(lease.release()).isTrue();
		});
	}

	@Test
	void registryLocksAtItsStoreAndIsReEnteredByItsFrontEnds() {
		this.runner.run((context) -> {
			LeaseLockRegistry registry = context.getBean("localLockRegistry", LeaseLockRegistry.class);
			DistributedLock lock = registry.obtain("k");
			lock.lock();

			assertThat(context.getBean("localLocks", Locks.class).find("k")).isPresent();
			assertThat(context.getBean(Locks.class).find("k")).isEmpty();
			boolean entered = context.getBean("localLockTemplate", LockTemplate.class)
				.tryExecuteWithoutResult("k", (lease) -> assertThat(lease).isSameAs(LockContext.current("k")));
			assertThat(entered).isTrue();
			lock.unlock();
			assertThat(context.getBean("localLocks", Locks.class).find("k")).isEmpty();
		});
	}

	@Test
	void annotatedMethodRunsUnderTheLockOfTheStoreThatItNames() {
		this.runner.withBean(Jobs.class).run((context) -> {
			Jobs jobs = context.getBean(Jobs.class);

			assertThat(jobs.atLocal()).isEqualTo(List.of(false, true));
			assertThat(jobs.atDefault()).isEqualTo(List.of(true, false));
		});
	}

	@Test
	void annotationThatNamesAStoreThatIsNotSetUpEndsTheStartWithThoseThereAre() {
		this.runner.withBean("elsewhere", Elsewhere.class)
			.run((context) -> assertThat(StartFailures.analyze(context).getDescription()).contains("Elsewhere.run")
				.endsWith("backend: 'redis' is not set up; there are [jdbc, local]"));
	}

	@Test
	void requestThatNamesAStoreThatIsNotSetUpIsRefusedWithThoseThereAre() {
		this.runner.run((context) -> assertThatExceptionOfType(InvalidLockRequestException.class)
			.isThrownBy(() -> context.getBean(LockTemplate.class).acquire(LockRequest.of("k").backend("redis")))
			.withMessageContaining("names the backend 'redis', which is not set up; there are [jdbc, local]"));
	}

	@Test
	void backendsOfTheApplicationAreKnownByTheNamesOfTheirBeans() {
		this.bare.withBean("own", LockBackend.class, SeveralStoresAutoConfigurationTests::backend)
			.withBean("other", LockBackend.class, SeveralStoresAutoConfigurationTests::backend)
			.withUserConfiguration(LossEvents.class)
			.withPropertyValues("lock.backends=own,other,jdbc", "lock.backend=other")
			.run((context) -> {
				assertThat(context.getBean(LockEngines.class).all()).extracting(LockEngine::name)
					.containsExactly("other", "own", "jdbc");
				Lease lease = context.getBean(LockTemplate.class).acquire(LockRequest.of("k").backend("own"));

				context.getBean("ownLocks", Locks.class).forceRelease("k");

				LossEvents events = context.getBean(LossEvents.class);
				await().until(() -> !events.seen.isEmpty());
				assertThat(events.seen).singleElement()
					.satisfies((event) -> assertThat(event.backend()).isEqualTo("own"));
				assertThat(lease.isHeld()).isFalse();
			});
	}

	@Test
	void beansOfTheApplicationTakeThePlaceOfThoseOfAStore() {
		LockTemplate template = mock(LockTemplate.class);
		this.runner.withBean("localLockTemplate", LockTemplate.class, () -> template)
			.run((context) -> assertThat(context).getBean("localLockTemplate").isSameAs(template));
	}

	@Test
	void templateOfTheApplicationLeavesTheTemplatesOfTheStoresAsTheyAre() {
		LockTemplate template = mock(LockTemplate.class);
		this.runner.withBean("mine", LockTemplate.class, () -> template).run((context) -> {
			assertThat(context.getBean(LockTemplate.class)).isSameAs(template);
			assertThat(context.getBean("localLockTemplate", LockTemplate.class).tryAcquire("k")).isPresent();
			assertThat(context).doesNotHaveBean("jdbcLockTemplate");
		});
	}

	@Test
	void registryOfTheApplicationTakesThePlaceOfAllOfOurs() {
		this.runner.withBean("mine", DefaultLockRegistry.class)
			.run((context) -> assertThat(context).hasSingleBean(LockRegistry.class)
				.doesNotHaveBean("localLockRegistry")
				.doesNotHaveBean("jdbcLockRegistry"));
		this.runner.withBean("lockRegistry", DefaultLockRegistry.class)
			.run((context) -> assertThat(context).hasSingleBean(LockRegistry.class)
				.doesNotHaveBean("localLockRegistry"));
	}

	@Test
	void withoutSpringIntegrationThereAreNoRegistries() {
		this.runner.withClassLoader(new FilteredClassLoader("org.springframework.integration"))
			.run((context) -> assertThat(context).hasNotFailed()
				.doesNotHaveBean("localLockRegistry")
				.hasBean("localLockTemplate"));
	}

	@Test
	void defaultStoreThatIsNotListedEndsTheStart() {
		this.bare.withPropertyValues("lock.backends=jdbc,local", "lock.backend=redis").run((context) -> {
			assertThat(StartFailures.analyze(context).getDescription())
				.isEqualTo("'lock.backend' is 'redis', which is not among the stores that 'lock.backends' lists: jdbc,"
						+ " local.");
			assertThat(StartFailures.analyze(context).getAction())
				.isEqualTo("Add 'redis' to 'lock.backends', or set 'lock.backend' to one of those that it lists.");
		});
	}

	@Test
	void severalListedStoresWithoutADefaultOneEndTheStartWithWhatToWrite() {
		this.bare.withPropertyValues("lock.backends=jdbc,local").run((context) -> {
			assertThat(StartFailures.analyze(context).getDescription())
				.isEqualTo("'lock.backends' lists several stores (jdbc, local), and nothing says which one is the"
						+ " default.");
			assertThat(StartFailures.analyze(context).getAction())
				.isEqualTo("Set 'lock.backend' to one of them, for example 'lock.backend=jdbc'. Requests that name no"
						+ " store go to that one.");
		});
	}

	@Test
	void listedStoreThatIsNotThereEndsTheStartWithWhatToAdd() {
		this.bare.withPropertyValues("lock.backends=jdbc,redis", "lock.backend=jdbc").run((context) -> {
			assertThat(StartFailures.analyze(context).getDescription()).isEqualTo(
					"The store 'redis', which 'lock.backends' names, can't be used: there is no RedisConnectionFactory.");
			assertThat(StartFailures.analyze(context).getAction()).contains("spring-boot-starter-data-redis");
		});
	}

	@Test
	void listedStoreWhoseLibraryIsMissingEndsTheStartWithWhatToAdd() {
		this.bare.withClassLoader(new FilteredClassLoader("org.apache.curator"))
			.withPropertyValues("lock.backends=jdbc,zookeeper", "lock.backend=jdbc")
			.run((context) -> assertThat(StartFailures.analyze(context).getDescription()).isEqualTo(
					"The store 'zookeeper', which 'lock.backends' names, can't be used: Curator is not on the class path."));
	}

	@Test
	void listedNameThatNothingHasEndsTheStartWithTheNamesThereAre() {
		this.bare.withPropertyValues("lock.backends=jdbc,mars", "lock.backend=jdbc").run((context) -> {
			assertThat(StartFailures.analyze(context).getDescription())
				.isEqualTo("'lock.backends' names 'mars', which is neither a store nor the name of a bean of type"
						+ " io.distributedlock.spi.LockBackend.");
			assertThat(StartFailures.analyze(context).getAction())
				.startsWith("Name a store (etcd, jdbc, redis, redlock, zookeeper, local)");
		});
	}

	@Test
	void storeThatIsListedByTwoNamesEndsTheStart() {
		this.bare.withPropertyValues("lock.backends=local,localLockBackend", "lock.backend=local")
			.run((context) -> assertThat(StartFailures.analyze(context).getDescription())
				.contains("which are the same bean 'localLockBackend'"));
	}

	@Test
	void errorsOfAStoreShowWhereverItsBeansAreInjected() {
		this.bare.withPropertyValues("lock.backends=jdbc,redis", "lock.backend=jdbc")
			.withUserConfiguration(NeedsRedis.class)
			.run((context) -> assertThat(StartFailures.analyze(context).getDescription())
				.startsWith("The store 'redis', which 'lock.backends' names, can't be used"));
	}

	@Test
	void furtherStoreThatCanNotBeAskedEndsTheStartAndIsNamed() {
		CutOffBackend own = backend();
		own.setCutOff(true);
		this.bare.withBean("own", LockBackend.class, () -> own)
			.withPropertyValues("lock.backends=jdbc,own", "lock.backend=jdbc", "lock.startup-timeout=100ms")
			.run((context) -> assertThat(StartFailures.analyze(context).getDescription())
				.startsWith("The store 'own' can't keep the locks"));
	}

	@Test
	void withoutFailFastAStoreThatIsDownKeepsNoOtherFromLocking() {
		CutOffBackend own = backend();
		own.setCutOff(true);
		this.bare.withBean("own", LockBackend.class, () -> own)
			.withPropertyValues("lock.backends=jdbc,own", "lock.backend=own", "lock.fail-fast=false")
			.run((context) -> {
				LockTemplate template = context.getBean(LockTemplate.class);
				assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> template.tryAcquire("k"));
				assertThat(template.tryAcquire(LockRequest.of("k").backend("jdbc"))).isPresent();

				own.setCutOff(false);

				assertThat(template.tryAcquire("k")).isPresent();
			});
	}

	@Test
	void contextThatWasPausedAndResumedLocksAtAllStores() {
		this.runner.run((context) -> {
			ConfigurableApplicationContext configurable = context.getSourceApplicationContext();
			Lease lease = context.getBean("localLockTemplate", LockTemplate.class).acquire("k");

			configurable.pause();
			boolean heldWhilePaused = lease.isHeld();
			boolean runningWhilePaused = context.getBean(LockEngines.class)
				.all()
				.stream()
				.anyMatch(LockEngine::isRunning);
			configurable.restart();

			assertThat(heldWhilePaused).isFalse();
			assertThat(runningWhilePaused).isFalse();
			assertThat(context.getBean("localLockTemplate", LockTemplate.class).tryAcquire("k")).isPresent();
			assertThat(context.getBean(LockTemplate.class).tryAcquire("k")).isPresent();
		});
	}

	@Test
	void enginesStopWithTheContext() {
		this.runner.run((context) -> {
			LockEngines engines = context.getBean(LockEngines.class);
			Lease lease = context.getBean("localLockTemplate", LockTemplate.class).acquire("k");

			context.close();

			assertThat(engines.all()).noneMatch(LockEngine::isRunning);
			assertThat(lease.isHeld()).isFalse();
		});
	}

	@Test
	void leasesOfAllStoresMatterToACommit() {
		this.runner.run((context) -> {
			Scopes scopes = context.getBean(Scopes.class);
			LockTemplate local = context.getBean("localLockTemplate", LockTemplate.class);

			int leases = context.getBean(LockTemplate.class)
				.execute("k", (outer) -> local.execute("k", (inner) -> scopes.leasesThatMatter().size()));

			assertThat(leases).isEqualTo(2);
		});
	}

	private static CutOffBackend backend() {
		VirtualLockClock clock = new VirtualLockClock();
		return new CutOffBackend(new LocalLockBackend(new LocalStore(clock), "test", clock));
	}

	@Configuration(proxyBeanMethods = false)
	static class InjectionPoints {

		private final LockTemplate template;

		private final LockTemplate localLockTemplate;

		private final Map<String, LockTemplate> templates;

		private final LockTemplate local;

		private final Locks locks;

		private final Locks localLocks;

		InjectionPoints(LockTemplate template, LockTemplate localLockTemplate, Map<String, LockTemplate> templates,
				@Qualifier("localLockTemplate") LockTemplate local, Locks locks,
				@Qualifier("localLocks") Locks localLocks) {
			this.template = template;
			this.localLockTemplate = localLockTemplate;
			this.templates = templates;
			this.local = local;
			this.locks = locks;
			this.localLocks = localLocks;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class RegistryInjectionPoints {

		private final List<Object> ofDefault;

		private final List<Object> ofLocal;

		@SuppressWarnings("rawtypes")
		RegistryInjectionPoints(LockRegistry raw, LockRegistry<?> wildcard, LockRegistry<DistributedLock> ofLocks,
				RenewableLockRegistry<?> renewable, ObjectProvider<LeaseLockRegistry> provided,
				@Qualifier("localLockRegistry") LockRegistry localRaw,
				@Qualifier("localLockRegistry") LockRegistry<?> localWildcard,
				@Qualifier("localLockRegistry") LockRegistry<DistributedLock> localOfLocks,
				@Qualifier("localLockRegistry") RenewableLockRegistry<?> localRenewable,
				@Qualifier("localLockRegistry") ObjectProvider<LeaseLockRegistry> localProvided) {
			this.ofDefault = List.of(raw, wildcard, ofLocks, renewable, provided.getObject());
			this.ofLocal = List.of(localRaw, localWildcard, localOfLocks, localRenewable, localProvided.getObject());
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class NeedsRedis {

		NeedsRedis(@Qualifier("redisLockTemplate") LockTemplate template) {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class LossEvents {

		private final List<LeaseLostEvent> seen = new CopyOnWriteArrayList<>();

		@EventListener
		void onLoss(LeaseLostEvent event) {
			this.seen.add(event);
		}

	}

	/**
	 * Methods that return whether their key is locked at the default store and at the
	 * local one.
	 */
	static class Jobs {

		private final Locks locks;

		private final Locks localLocks;

		Jobs(Locks locks, @Qualifier("localLocks") Locks localLocks) {
			this.locks = locks;
			this.localLocks = localLocks;
		}

		@io.distributedlock.DistributedLock(name = "job", backend = "local")
		List<Boolean> atLocal() {
			return List.of(this.locks.find("job").isPresent(), this.localLocks.find("job").isPresent());
		}

		@io.distributedlock.DistributedLock(name = "job")
		List<Boolean> atDefault() {
			return List.of(this.locks.find("job").isPresent(), this.localLocks.find("job").isPresent());
		}

	}

	static class Elsewhere {

		@io.distributedlock.DistributedLock(name = "elsewhere", backend = "redis")
		void run() {
		}

	}

}
