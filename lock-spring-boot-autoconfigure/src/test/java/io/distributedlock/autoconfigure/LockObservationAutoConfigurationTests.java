package io.distributedlock.autoconfigure;

import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.micrometer.common.KeyValues;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.export.simple.SimpleMetricsExportAutoConfiguration;
import org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import io.distributedlock.DistributedLock;
import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.backend.local.LocalLockBackend;
import io.distributedlock.backend.local.LocalStore;
import io.distributedlock.contract.DecoratedBackend;
import io.distributedlock.contract.VirtualLockClock;
import io.distributedlock.observation.AcquireObservationConvention;
import io.distributedlock.observation.DefaultAcquireObservationConvention;
import io.distributedlock.observation.DefaultHoldObservationConvention;
import io.distributedlock.observation.HoldObservationContext;
import io.distributedlock.observation.HoldObservationConvention;
import io.distributedlock.spi.LockBackend;
import io.distributedlock.spi.LockObserver;
import io.distributedlock.spi.NodeStatus;
import io.distributedlock.test.LocalLocks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link LockObservationAutoConfiguration}.
 */
class LockObservationAutoConfigurationTests {

	private static final String ACQUIRE = "distributed.lock.acquire";

	private static final String HOLD = "distributed.lock.hold";

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, LockAutoConfiguration.class,
				LockObservationAutoConfiguration.class))
		.withPropertyValues("lock.backend=local");

	private final ApplicationContextRunner boot = this.runner.withConfiguration(
			AutoConfigurations.of(MetricsAutoConfiguration.class, CompositeMeterRegistryAutoConfiguration.class,
					SimpleMetricsExportAutoConfiguration.class, ObservationAutoConfiguration.class));

	private static void assertThatLocksWork(AssertableApplicationContext context) {
		assertThat(context).hasNotFailed();
		LockTemplate template = context.getBean(LockTemplate.class);
		assertThat(template.<String, RuntimeException>execute("order:42", Lease::key)).isEqualTo("order:42");
	}

	private static List<Meter> meters(AssertableApplicationContext context) {
		return context.getBean(MeterRegistry.class)
			.getMeters()
			.stream()
			.filter((meter) -> meter.getId().getName().startsWith("distributed.lock"))
			.toList();
	}

	@Test
	void withoutObservationsThereIsNoObserver() {
		this.runner.withClassLoader(new FilteredClassLoader("io.micrometer")).run((context) -> {
			assertThatLocksWork(context);
			assertThat(context).doesNotHaveBean(LockObserver.class).doesNotHaveBean(BackendDecorator.class);
		});
	}

	@Test
	void withoutMetersThereAreObservations() {
		TestObservationRegistry registry = TestObservationRegistry.create();
		this.runner.withClassLoader(new FilteredClassLoader("io.micrometer.core"))
			.withBean(ObservationRegistry.class, () -> registry)
			.run((context) -> {
				assertThatLocksWork(context);
				assertThat(context).doesNotHaveBean("lockMeters").doesNotHaveBean(BackendDecorator.class);
				assertThat(registry).hasNumberOfObservationsWithNameEqualTo(ACQUIRE, 1)
					.hasNumberOfObservationsWithNameEqualTo(HOLD, 1);
			});
	}

	@Test
	void withoutARegistryNothingIsMeasured() {
		this.runner.run((context) -> {
			assertThatLocksWork(context);
			assertThat(context).doesNotHaveBean(MeterBinder.class).doesNotHaveBean(BackendDecorator.class);
			assertThat(context.getBean(LockObserver.class).begin("local", LockRequest.of("order:42")))
				.isSameAs(LockObserver.Acquisition.NONE);
		});
	}

	@Test
	void withoutObservationsOfBootThereAreMeters() {
		this.runner.withBean(MeterRegistry.class, SimpleMeterRegistry::new).run((context) -> {
			context.getBeansOfType(MeterBinder.class)
				.values()
				.forEach((binder) -> binder.bindTo(context.getBean(MeterRegistry.class)));
			assertThatLocksWork(context);
			assertThat(meters(context)).extracting((meter) -> meter.getId().getName())
				.contains("distributed.lock.held", "distributed.lock.store.call")
				.doesNotContain(ACQUIRE);
		});
	}

	@Test
	void observationsCanBeSwitchedOff() {
		this.boot.withPropertyValues("lock.observations.enabled=false").run((context) -> {
			assertThatLocksWork(context);
			assertThat(context).doesNotHaveBean(LockObserver.class).doesNotHaveBean(BackendDecorator.class);
			assertThat(meters(context)).isEmpty();
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "-1", "many" })
	void numberOfNamesThatIsWrongEndsTheStartAndIsNamed(String value) {
		this.runner.withPropertyValues("lock.observations.max-names=" + value)
			.run((context) -> assertThat(StartFailures.analyze(context).getDescription())
				.contains("lock.observations.max-names"));
	}

	@Test
	void numberOfNamesOutOfRangeIsRefusedWithTheRange() {
		this.runner.withPropertyValues("lock.observations.max-names=-1")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessage("Property lock.observations.max-names with value '-1' is invalid: It must not be negative;"
						+ " 0 gives all names the tag 'other'."));
	}

	@Test
	void observerOfTheApplicationTakesThePlaceOfOurs() {
		this.boot.withBean("own", LockObserver.class, () -> LockObserver.NONE)
			.run((context) -> assertThat(context).hasNotFailed()
				.getBean(LockObserver.class)
				.isSameAs(LockObserver.NONE));
	}

	@Test
	void keysNeverBecomeTags() {
		List<String> names = List.of("order", "invoice", "report");
		this.boot.run((context) -> {
			LockTemplate template = context.getBean(LockTemplate.class);
			Set<String> keys = IntStream.range(0, 500)
				.mapToObj((number) -> "customer:" + number)
				.collect(Collectors.toSet());
			for (int i = 0; i < 1_000; i++) {
				template.executeWithoutResult(LockRequest.of("customer:" + i % 500).name(names.get(i % 3)), (lease) -> {
				});
			}

			List<Meter> meters = meters(context);

			assertThat(meters).flatExtracting((meter) -> meter.getId().getTags())
				.extracting(Tag::getValue)
				.isNotEmpty()
				.noneMatch(keys::contains)
				.noneMatch((value) -> value.contains("customer"));
			// For the store: 14 timers of calls, 2 counters of renewals, the gauge
			// circuit.open, 4 limits, and the missed ticks of locks without a name. For
			// each name and for locks without one: the gauges held, waiting and overdue,
			// and 4 reasons of a loss. For each name: the timers and the active timers
			// of acquisitions and holds.
			assertThat(meters)
				.as("%d series after 1,000 acquisitions of 500 keys under 3 names: %s", meters.size(), count(meters))
				.hasSize(22 + 4 * 7 + 3 * 4);
			MeterRegistry registry = context.getBean(MeterRegistry.class);
			assertThat(registry.get(ACQUIRE).timers()).hasSize(3)
				.extracting((timer) -> timer.count())
				.containsExactlyInAnyOrder(334L, 333L, 333L);
			assertThat(registry.get("distributed.lock.store.call")
				.tags("lock.operation", "acquire", "lock.outcome", "ok")
				.timer()
				.count()).isGreaterThanOrEqualTo(1_000);
		});
	}

	private static TreeMap<String, Long> count(List<Meter> meters) {
		return meters.stream()
			.collect(Collectors.groupingBy((meter) -> meter.getId().getName(), TreeMap::new, Collectors.counting()));
	}

	@Test
	void seriesAreBoundedByTheNumberOfNames() {
		this.boot.withPropertyValues("lock.observations.max-names=2").run((context) -> {
			LockTemplate template = context.getBean(LockTemplate.class);
			for (int i = 0; i < 200; i++) {
				template.executeWithoutResult(LockRequest.of("customer:" + i).name("name" + i), (lease) -> {
				});
			}

			assertThat(meters(context)).hasSize(22 + 4 * 7 + 3 * 4)
				.extracting((meter) -> meter.getId().getTag("lock.name"))
				.contains("name0", "name1", "other", "none")
				.doesNotContain("name2");
		});
	}

	@Test
	void timersHaveTheSameTagsForAllOutcomes() {
		this.boot.run((context) -> {
			LockTemplate template = context.getBean(LockTemplate.class);
			LockRequest request = LockRequest.of("order:42").name("order");
			LocalLocks locks = context.getBean(LocalLocks.class);
			Lease lease = template.acquire(request);
			assertThat(template.tryAcquire(request)).isEmpty();
			locks.expire("order:42");
			MeterRegistry registry = context.getBean(MeterRegistry.class);
			await().untilAsserted(() -> assertThat(
					registry.find(HOLD).tags("lock.outcome", "lost", "error", "LeaseLostException").timer())
				.isNotNull());
			template.acquire(request).release();

			assertThat(lease.isHeld()).isFalse();
			assertThat(registry.get(ACQUIRE).timers()).extracting((timer) -> timer.getId().getTag("lock.outcome"))
				.containsExactlyInAnyOrder("acquired", "busy");
			assertThat(registry.get(HOLD).timers()).extracting((timer) -> timer.getId().getTag("lock.outcome"))
				.containsExactlyInAnyOrder("released", "lost");
			assertThat(List.of(ACQUIRE, HOLD)).allSatisfy((name) -> assertThat(registry.get(name).timers())
				.allSatisfy((timer) -> assertThat(timer.getId().getTags()).extracting(Tag::getKey)
					.containsExactly("error", "lock.mode", "lock.name", "lock.outcome", "lock.store")));
			assertThat(registry.get(ACQUIRE + ".active").longTaskTimers()).singleElement()
				.satisfies((timer) -> assertThat(timer.activeTasks()).isZero());
		});
	}

	@Test
	void conventionsOfTheApplicationReplaceTheDefaults() {
		this.boot.withBean(AcquireObservationConvention.class, Renamed::new)
			.withBean(HoldObservationConvention.class, WithTenant::new)
			.run((context) -> {
				assertThatLocksWork(context);

				MeterRegistry registry = context.getBean(MeterRegistry.class);
				assertThat(registry.find(ACQUIRE).timers()).isEmpty();
				assertThat(registry.get("shop.lock").timers()).hasSize(1);
				assertThat(registry.get(HOLD).timer().getId().getTag("tenant")).isEqualTo("eu");
			});
	}

	@Test
	void observationsCanBeSwitchedOffByName() {
		this.boot.withPropertyValues("management.observations.enable.distributed.lock.hold=false").run((context) -> {
			assertThatLocksWork(context);

			MeterRegistry registry = context.getBean(MeterRegistry.class);
			assertThat(registry.find(HOLD).timers()).isEmpty();
			assertThat(registry.get(ACQUIRE).timers()).hasSize(1);
		});
	}

	@Test
	void bodyOfAnAnnotatedMethodIsInsideTheHold() {
		TestObservationRegistry registry = TestObservationRegistry.create();
		this.runner.withBean(ObservationRegistry.class, () -> registry).withBean(Reports.class).run((context) -> {
			Observation caller = Observation.start("request", registry);
			Reports reports = context.getBean(Reports.class);
			try (Observation.Scope scope = caller.openScope()) {
				reports.print(7);
				assertThat(registry.getCurrentObservation()).isSameAs(caller);
			}

			assertThat(reports.current()).isEqualTo(HOLD);
			assertThat(registry).hasObservationWithNameEqualTo(HOLD).that().hasParentObservationEqualTo(caller);
		});
	}

	@Test
	void everyAnnotatedMethodHasANameOfItsOwn() {
		TestObservationRegistry registry = TestObservationRegistry.create();
		this.runner.withBean(ObservationRegistry.class, () -> registry)
			.withBean(Reports.class)
			.withPropertyValues("report.name=from-property")
			.run((context) -> {
				Reports reports = context.getBean(Reports.class);

				reports.print(7);
				reports.fixed();
				reports.keyed(7);
				reports.placeholder();

				List<String> names = List.of("print", "Reports.fixed", "Reports.keyed", "from-property");
				names.forEach((name) -> assertThat(registry).hasAnObservationWithAKeyValue("lock.name", name));
				assertThat(registry).hasNumberOfObservationsWithNameEqualTo(ACQUIRE, 4)
					.forAllObservationsWithNameEqualTo(ACQUIRE,
							(observation) -> observation.doesNotHaveLowCardinalityKeyValue("lock.name", "none"))
					.forAllObservationsWithNameEqualTo(HOLD,
							(observation) -> observation.doesNotHaveLowCardinalityKeyValue("lock.name", "none"));
			});
	}

	@Test
	void everyStoreHasItsMeters() {
		this.boot
			.withPropertyValues("lock.backends=local,jdbc", "lock.jdbc.initialize-schema=always",
					"spring.datasource.url=" + JdbcLockAutoConfigurationTests.url())
			.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class))
			.run((context) -> {
				assertThat(context).hasNotFailed();
				LockTemplate template = context.getBean("lockTemplate", LockTemplate.class);
				template.acquire(LockRequest.of("order:42").name("order").backend("jdbc")).release();

				MeterRegistry registry = context.getBean(MeterRegistry.class);
				assertThat(registry.get("distributed.lock.circuit.open").gauges())
					.extracting((gauge) -> gauge.getId().getTag("lock.store"))
					.containsExactlyInAnyOrder("local", "jdbc");
				assertThat(registry.get(ACQUIRE).timer().getId().getTag("lock.store")).isEqualTo("jdbc");
				assertThat(registry.get("distributed.lock.held").tag("lock.name", "order").gauge().getId())
					.extracting((id) -> id.getTag("lock.store"))
					.isEqualTo("jdbc");
			});
	}

	@Test
	void nodesHaveMetersFromTheStartOn() {
		this.boot.withPropertyValues("lock.backend=nodes", "lock.startup-check=connect")
			.withBean("nodes", LockBackend.class, NodesBackend::new)
			.run((context) -> {
				assertThat(context).hasNotFailed();
				assertThat(context.getBean(MeterRegistry.class)
					.get("distributed.lock.node.quarantined")
					.tags("lock.store", "nodes", "lock.node", "a:1")
					.gauge()
					.value()).isEqualTo(1);
			});
	}

	/**
	 * A store with a node in quarantine.
	 */
	static class NodesBackend extends DecoratedBackend {

		NodesBackend() {
			super(new LocalLockBackend(new LocalStore(new VirtualLockClock()), "test", new VirtualLockClock()));
		}

		@Override
		public List<NodeStatus> nodes() {
			return List.of(new NodeStatus("a:1", NodeStatus.State.QUARANTINED, null));
		}

	}

	/**
	 * A convention with another name.
	 */
	static class Renamed extends DefaultAcquireObservationConvention {

		@Override
		public String getName() {
			return "shop.lock";
		}

	}

	/**
	 * A convention with another tag.
	 */
	static class WithTenant extends DefaultHoldObservationConvention {

		@Override
		public KeyValues getLowCardinalityKeyValues(HoldObservationContext context) {
			return super.getLowCardinalityKeyValues(context).and("tenant", "eu");
		}

	}

	/**
	 * A bean with annotated methods of all kinds of names.
	 */
	static class Reports {

		private final ObservationRegistry registry;

		private final AtomicReference<String> current = new AtomicReference<>("");

		Reports(ObservationRegistry registry) {
			this.registry = registry;
		}

		String current() {
			return this.current.get();
		}

		@DistributedLock(name = "print", key = "#id")
		void print(long id) {
			Observation observation = this.registry.getCurrentObservation();
			this.current.set((observation != null) ? String.valueOf(observation.getContextView().getName()) : "none");
		}

		@DistributedLock
		void fixed() {
		}

		@DistributedLock(key = "#id")
		void keyed(long id) {
		}

		@DistributedLock(name = "${report.name:default}")
		void placeholder() {
		}

	}

}
