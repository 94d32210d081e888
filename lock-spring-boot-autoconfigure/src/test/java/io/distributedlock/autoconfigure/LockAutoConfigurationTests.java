package io.distributedlock.autoconfigure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import jakarta.annotation.PostConstruct;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.context.event.EventListener;
import org.springframework.core.annotation.Order;

import io.distributedlock.Lease;
import io.distributedlock.LeaseLostEvent;
import io.distributedlock.LockRequest;
import io.distributedlock.LockRequestCustomizer;
import io.distributedlock.LockTemplate;
import io.distributedlock.Locks;
import io.distributedlock.LossReason;
import io.distributedlock.contract.VirtualLockClock;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.engine.LockEngine;
import io.distributedlock.spi.LeaseRetention;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.LockListener;
import io.distributedlock.spi.Scopes;
import io.distributedlock.transaction.TransactionLeaseRetention;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link LockAutoConfiguration}.
 */
class LockAutoConfigurationTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class))
		.withPropertyValues("lock.backend=local");

	@Test
	void instanceIdWithALineBreakEndsTheStart() {
		this.runner.withPropertyValues("lock.backend=local")
			.withSystemProperties("lock.instance-id=shop\n\u202ex")
			.run((context) -> {
				FailureAnalysis analysis = StartFailures.analyze(context);
				assertThat(analysis.getDescription()).isEqualTo(
						"'lock.instance-id' is 'shop\\n\\u202ex', which holds characters that are not printable.");
				assertThat(analysis.getAction()).isEqualTo("Leave out line breaks and other control characters.");
			});
	}

	@Test
	void templateLocksWhatTheViewShows() {
		this.runner.run((context) -> {
			Lease lease = context.getBean(LockTemplate.class).acquire("k");

			assertThat(context.getBean(Locks.class).find("k")).isPresent();
			assertThat(lease.release()).isTrue();
			assertThat(context.getBean(Locks.class).find("k")).isEmpty();
		});
	}

	@Test
	void templateOfTheApplicationTakesThePlaceOfOurs() {
		LockTemplate template = mock(LockTemplate.class);
		this.runner.withBean("mine", LockTemplate.class, () -> template)
			.run((context) -> assertThat(context).getBean(LockTemplate.class).isSameAs(template));
	}

	@Test
	void primaryTemplateAmongSeveralIsInjected() {
		this.runner.withUserConfiguration(TwoTemplates.class)
			.run((context) -> assertThat(context.getBean(LockTemplate.class))
				.isSameAs(context.getBean("primaryTemplate")));
	}

	@Test
	void viewScopesAndClockOfTheApplicationTakeThePlaceOfOurs() {
		this.runner.withBean("myLocks", Locks.class, () -> mock(Locks.class))
			.withBean("myScopes", Scopes.class, () -> mock(Scopes.class))
			.withBean("myClock", LockClock.class, VirtualLockClock::new)
			.run((context) -> assertThat(context).hasSingleBean(Locks.class)
				.hasSingleBean(Scopes.class)
				.hasSingleBean(LockClock.class));
	}

	@Test
	void leasesAreKeptForTransactions() {
		this.runner.run((context) -> assertThat(context).hasSingleBean(TransactionLeaseRetention.class));
	}

	@Test
	void withoutTransactionsNothingIsKept() {
		this.runner.withClassLoader(new FilteredClassLoader("org.springframework.transaction")).run((context) -> {
			assertThat(context).hasNotFailed().doesNotHaveBean(LeaseRetention.class);
			context.getBean(LockTemplate.class).acquire("k").close();
		});
	}

	@Test
	void customizersChangeRequestsInTheirOrder() {
		this.runner.withUserConfiguration(Customizers.class).run((context) -> {
			context.getBean(LockTemplate.class).acquire(LockRequest.of("k").name("slow"));

			assertThat(context.getBean(Locks.class).find("k").orElseThrow().remaining())
				.isBetween(Duration.ofMinutes(5), Duration.ofMinutes(6));
		});
	}

	@Test
	void listenersAreNotified() {
		AcquiredKeys keys = new AcquiredKeys();
		this.runner.withBean(LockListener.class, () -> keys).run((context) -> {
			context.getBean(LockTemplate.class).acquire("k").close();

			await().untilAsserted(() -> assertThat(keys.seen).containsExactly("k"));
		});
	}

	@Test
	void lossIsPublishedAsAnEvent() {
		this.runner.withUserConfiguration(LossEvents.class).run((context) -> {
			context.getBean(LockTemplate.class).acquire(LockRequest.of("k").name("orders"));

			context.getBean(Locks.class).forceRelease("k");

			LossEvents events = context.getBean(LossEvents.class);
			await().untilAsserted(() -> assertThat(events.seen).hasSize(1));
			assertThat(events.seen.get(0)).satisfies((event) -> {
				assertThat(event.backend()).isEqualTo("local");
				assertThat(event.key()).isEqualTo("k");
				assertThat(event.name()).isEqualTo("orders");
				assertThat(event.reason()).isEqualTo(LossReason.TAKEN);
			});
		});
	}

	@Test
	void locksMayBeUsedBeforeTheContextHasStarted() {
		this.runner.withUserConfiguration(LocksEarly.class)
			.run((context) -> assertThat(context.getBean(LocksEarly.class).locked).isTrue());
	}

	@Test
	void propertiesAreTheDefaultsOfRequests() {
		this.runner
			.withPropertyValues("lock.ttl=3m", "lock.wait-time=0", "lock.max-hold=1h", "lock.call-timeout=1s",
					"lock.stop-timeout=2s", "lock.handover.max-count=0", "lock.handover.max-duration=0s")
			.run((context) -> assertThat(context.getBean(LockEngine.class).settings()).satisfies((settings) -> {
				assertThat(settings.ttl()).isEqualTo(Duration.ofMinutes(3));
				assertThat(settings.waitTime()).isZero();
				assertThat(settings.maxHold()).isEqualTo(Duration.ofHours(1));
				assertThat(settings.callTimeout()).isEqualTo(Duration.ofSeconds(1));
				assertThat(settings.stopTimeout()).isEqualTo(Duration.ofSeconds(2));
				assertThat(settings.handOver().maxCount()).isZero();
				assertThat(settings.handOver().maxDuration()).isZero();
			}));
	}

	@Test
	void withoutPropertiesTheDefaultsOfTheEngineApply() {
		this.runner.run((context) -> assertThat(context.getBean(LockEngine.class).settings())
			.isEqualTo(EngineSettings.DEFAULTS));
	}

	@Test
	void holderIsShownAsApplicationHostAndProcess() {
		this.runner.withPropertyValues("spring.application.name=shop").run((context) -> {
			context.getBean(LockTemplate.class).acquire("k");

			assertThat(context.getBean(Locks.class).find("k").orElseThrow().instance()).startsWith("shop@")
				.endsWith(":" + ProcessHandle.current().pid());
		});
	}

	@Test
	void holderIsShownAsConfigured() {
		this.runner.withPropertyValues("lock.instance-id=node-7").run((context) -> {
			context.getBean(LockTemplate.class).acquire("k");

			assertThat(context.getBean(Locks.class).find("k").orElseThrow().instance()).isEqualTo("node-7");
		});
	}

	@Configuration(proxyBeanMethods = false)
	static class TwoTemplates {

		@Bean
		@Primary
		LockTemplate primaryTemplate() {
			return mock(LockTemplate.class);
		}

		@Bean
		LockTemplate otherTemplate() {
			return mock(LockTemplate.class);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Customizers {

		@Bean
		@Order(2)
		LockRequestCustomizer doubled() {
			return (request) -> (request.getTtl() != null) ? request.ttl(request.getTtl().multipliedBy(2)) : request;
		}

		@Bean
		@Order(1)
		LockRequestCustomizer slow() {
			return (request) -> "slow".equals(request.getName()) ? request.ttl(Duration.ofMinutes(3)) : request;
		}

	}

	static class AcquiredKeys implements LockListener {

		private final List<String> seen = new ArrayList<>();

		@Override
		public void acquired(String backend, LockRequest request, Lease lease, Duration waited) {
			this.seen.add(lease.key());
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

	@Configuration(proxyBeanMethods = false)
	static class LocksEarly {

		private final LockTemplate template;

		private boolean locked;

		LocksEarly(LockTemplate template) {
			this.template = template;
		}

		@PostConstruct
		void lock() {
			this.locked = this.template.tryExecuteWithoutResult("early", (lease) -> {
			});
		}

	}

}
