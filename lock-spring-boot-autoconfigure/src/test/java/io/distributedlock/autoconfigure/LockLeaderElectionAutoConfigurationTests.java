package io.distributedlock.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;
import org.springframework.integration.channel.DirectChannel;
import org.springframework.integration.config.EnableIntegration;
import org.springframework.integration.endpoint.EventDrivenConsumer;
import org.springframework.integration.leader.event.AbstractLeaderEvent;
import org.springframework.integration.leader.event.DefaultLeaderEventPublisher;
import org.springframework.integration.leader.event.LeaderEventPublisher;
import org.springframework.integration.leader.event.OnGrantedEvent;
import org.springframework.integration.leader.event.OnRevokedEvent;
import org.springframework.messaging.MessageHandler;

import io.distributedlock.LockTemplate;
import io.distributedlock.Locks;
import io.distributedlock.integration.LeaderElection;
import io.distributedlock.integration.LeaderElectionSettings;
import io.distributedlock.integration.Leadership;
import io.distributedlock.spi.LockClock;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LockLeaderElectionAutoConfiguration}.
 */
class LockLeaderElectionAutoConfigurationTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(
				AutoConfigurations.of(LockLeaderElectionAutoConfiguration.class, LockAutoConfiguration.class))
		.withPropertyValues("lock.backend=local", "lock.leader-election.heart-beat=100ms");

	@Test
	void withoutRolesThereIsNoElection() {
		this.runner.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(LeaderElection.class));
	}

	@Test
	void rolesAreStoodForWithoutFurtherCode() {
		this.runner.withPropertyValues("lock.leader-election.roles=reports, imports").run((context) -> {
			LeaderElection election = context.getBean(LeaderElection.class);

			assertThat(election.roles()).isEqualTo(Set.of("reports", "imports"));
			Awaitility.await().until(() -> election.isLeader("reports") && election.isLeader("imports"));
			assertThat(context.getBean(Locks.class).find("leader:reports")).isPresent();
		});
	}

	@Test
	void rolesMayBeAListInYaml() {
		this.runner.withPropertyValues("lock.leader-election.roles[0]=a", "lock.leader-election.roles[1]=b")
			.run((context) -> assertThat(context.getBean(LeaderElection.class).roles()).isEqualTo(Set.of("a", "b")));
	}

	@Test
	void ttlOfLeadersIsThatOfTheProperty() {
		this.runner
			.withPropertyValues("lock.leader-election.roles=reports", "lock.leader-election.ttl=40m", "lock.ttl=10s")
			.run((context) -> {
				Locks locks = context.getBean(Locks.class);
				Awaitility.await().until(() -> locks.find("leader:reports").isPresent());

				assertThat(locks.find("leader:reports").orElseThrow().remaining()).isBetween(Duration.ofMinutes(30),
						Duration.ofMinutes(40));
			});
	}

	@Test
	void leadersMayHaveAStoreOfTheirOwn() {
		this.runner.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class))
			.withPropertyValues("lock.leader-election.roles=reports", "lock.leader-election.backend=jdbc",
					"lock.backends=local,jdbc", "spring.datasource.url=jdbc:h2:mem:leaders")
			.run((context) -> {
				LeaderElection election = context.getBean(LeaderElection.class);
				Awaitility.await().until(() -> election.isLeader("reports"));

				assertThat(context.getBean("jdbcLocks", Locks.class).find("leader:reports")).isPresent();
				assertThat(context.getBean(Locks.class).find("leader:reports")).isEmpty();
			});
	}

	@Test
	void storeThatThereIsNotIsRefused() {
		this.runner.withPropertyValues("lock.leader-election.roles=reports", "lock.leader-election.backend=redis")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(LockStartException.class)
				.hasMessageContaining("'redis'")
				.hasMessageContaining("[local]"));
	}

	@Test
	void eventsReportLeaderships() {
		this.runner.withPropertyValues("lock.leader-election.roles=reports")
			.withUserConfiguration(Listening.class)
			.run((context) -> {
				List<AbstractLeaderEvent> events = context.getBean(Listening.class).events;
				Awaitility.await().until(() -> !events.isEmpty());
				LeaderElection election = context.getBean(LeaderElection.class);

				election.stop();

				assertThatEachGrantWasRevoked(events);
				assertThat(events).allSatisfy((event) -> {
					assertThat(event.getRole()).isEqualTo("reports");
					assertThat(event.getContext()).isInstanceOf(Leadership.class);
					assertThat(event.getSource()).isSameAs(election);
				});
			});
	}

	@Test
	void endpointsInTheRoleAreStartedAndStopped() {
		this.runner.withPropertyValues("lock.leader-election.roles=reports")
			.withUserConfiguration(Endpoint.class)
			.run((context) -> {
				EventDrivenConsumer endpoint = context.getBean("endpoint", EventDrivenConsumer.class);
				Awaitility.await().until(endpoint::isRunning);

				context.getBean(LeaderElection.class).stop();

				assertThat(endpoint.isRunning()).isFalse();
			});
	}

	@Test
	void contextThatIsPausedGivesTheLeadershipUpAndStandsAgain() {
		this.runner.withPropertyValues("lock.leader-election.roles=reports")
			.withUserConfiguration(Listening.class)
			.run((context) -> {
				List<AbstractLeaderEvent> events = context.getBean(Listening.class).events;
				LeaderElection election = context.getBean(LeaderElection.class);
				Awaitility.await().until(() -> !events.isEmpty());

				context.stop();

				assertThatEachGrantWasRevoked(events);
				assertThat(election.isLeader("reports")).isFalse();
				int before = events.size();
				context.start();
				Awaitility.await().until(() -> events.size() > before && election.isLeader("reports"));
			});
	}

	/**
	 * There may be several grants, because an application that stands still for longer
	 * than a heartbeat loses the leadership and then leads again.
	 */
	private static void assertThatEachGrantWasRevoked(List<AbstractLeaderEvent> events) {
		assertThat(events).isNotEmpty();
		for (int i = 0; i < events.size(); i++) {
			assertThat(events.get(i)).as("event %d of %s", i, events)
				.isInstanceOf((i % 2 == 0) ? OnGrantedEvent.class : OnRevokedEvent.class);
		}
		assertThat(events.size() % 2).as("grants without an end in %s", events).isZero();
	}

	@Test
	void candidatesStartAfterTheLocksAndStopBefore() {
		this.runner.withPropertyValues("lock.leader-election.roles=reports")
			.run((context) -> assertThat(context.getBean(LeaderElection.class).getPhase())
				.isGreaterThan(context.getBean(LockEngineLifecycle.class).getPhase()));
	}

	@Test
	void publisherOfTheApplicationIsUsed() {
		this.runner.withPropertyValues("lock.leader-election.roles=reports")
			.withBean(LeaderEventPublisher.class, DefaultLeaderEventPublisher::new)
			.withUserConfiguration(Listening.class)
			.run((context) -> {
				LeaderElection election = context.getBean(LeaderElection.class);
				List<AbstractLeaderEvent> events = context.getBean(Listening.class).events;
				Awaitility.await().until(() -> !events.isEmpty());

				election.stop();

				// The application's own publisher has received the context.
				assertThatEachGrantWasRevoked(events);
			});
	}

	@Test
	void electionOfTheApplicationTakesThePlaceOfOurs() {
		this.runner.withPropertyValues("lock.leader-election.roles=reports")
			.withUserConfiguration(OwnElection.class)
			.run((context) -> assertThat(context).hasSingleBean(LeaderElection.class).hasBean("mine"));
	}

	@Test
	void rolesWithoutSpringIntegrationAreRefused() {
		this.runner.withPropertyValues("lock.leader-election.roles=reports")
			.withClassLoader(new FilteredClassLoader("org.springframework.integration"))
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(LockStartException.class)
				.hasMessageContaining("spring-integration-core"));
	}

	@Test
	void withoutRolesSpringIntegrationIsNotMissed() {
		this.runner.withClassLoader(new FilteredClassLoader("org.springframework.integration"))
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@ParameterizedTest
	@ValueSource(strings = { "lock.leader-election.heart-beat=99ms", "lock.leader-election.heart-beat=61m",
			"lock.leader-election.heart-beat=-1s", "lock.leader-election.ttl=199ms" })
	void timesOutOfRangeAreRefused(String property) {
		this.runner.withPropertyValues("lock.leader-election.roles=reports", property)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining(property.substring(0, property.indexOf('='))));
	}

	@Test
	void roleThatIsTooLongForAKeyIsRefused() {
		this.runner.withPropertyValues("lock.leader-election.roles=" + "r".repeat(249))
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining("lock.leader-election.roles"));
	}

	@Configuration(proxyBeanMethods = false)
	static class Listening {

		private final List<AbstractLeaderEvent> events = new CopyOnWriteArrayList<>();

		@EventListener
		void hear(AbstractLeaderEvent event) {
			this.events.add(event);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableIntegration
	static class Endpoint {

		@Bean
		EventDrivenConsumer endpoint() {
			MessageHandler handler = (message) -> {
			};
			EventDrivenConsumer endpoint = new EventDrivenConsumer(new DirectChannel(), handler);
			endpoint.setAutoStartup(false);
			endpoint.setRole("reports");
			return endpoint;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OwnElection {

		@Bean
		LeaderElection mine(LockTemplate template, LockClock clock) {
			return new LeaderElection(
					new LeaderElectionSettings(Set.of(), Duration.ofSeconds(1), Duration.ofSeconds(9), null), template,
					clock, new DefaultLeaderEventPublisher(), Runnable::run);
		}

	}

}
