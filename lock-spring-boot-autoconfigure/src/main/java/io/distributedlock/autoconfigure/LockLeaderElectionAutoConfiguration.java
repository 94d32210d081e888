package io.distributedlock.autoconfigure;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingClass;
import org.springframework.boot.autoconfigure.condition.OnPropertyListCondition;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.integration.leader.event.DefaultLeaderEventPublisher;
import org.springframework.integration.leader.event.LeaderEventPublisher;

import io.distributedlock.LockTemplate;
import io.distributedlock.aop.BackendCatalog;
import io.distributedlock.engine.LockEngines;
import io.distributedlock.integration.LeaderElection;
import io.distributedlock.spi.LockClock;

/**
 * Auto-configuration for the election of leaders. Makes the application a candidate for
 * the roles of {@code lock.leader-election.roles}, if there are any.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = LockAutoConfiguration.class)
@Conditional(LockLeaderElectionAutoConfiguration.OnRolesCondition.class)
public final class LockLeaderElectionAutoConfiguration {

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(LeaderEventPublisher.class)
	@ConditionalOnBean(LockEngines.class)
	@EnableConfigurationProperties(LockLeaderElectionProperties.class)
	static class ElectionConfiguration {

		@Bean
		@ConditionalOnMissingBean
		LeaderElection leaderElection(LockLeaderElectionProperties properties, LockProperties locks,
				BackendCatalog stores, LockTemplate template, LockClock clock,
				ObjectProvider<LeaderEventPublisher> publisher, ApplicationEventPublisher events) {
			return new LeaderElection(properties.toSettings(stores.traits().keySet(), locks.ttl()), template, clock,
					publisher.getIfUnique(() -> new DefaultLeaderEventPublisher(events)), threads());
		}

		/**
		 * Use threads of their own, because a listener may work as long as it leads, and
		 * must not delay the notification of others.
		 */
		private static SimpleAsyncTaskExecutor threads() {
			SimpleAsyncTaskExecutor threads = new SimpleAsyncTaskExecutor("lock-leader-");
			threads.setDaemon(true);
			return threads;
		}

	}

	/**
	 * Fails the startup and names the missing dependency, because otherwise no
	 * application would ever lead.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnMissingClass("org.springframework.integration.leader.event.LeaderEventPublisher")
	static class MissingConfiguration {

		MissingConfiguration() {
			throw new LockStartException(
					"The application can't be a candidate for 'lock.leader-election.roles':"
							+ " Spring Integration is missing.",
					"Add org.springframework.integration:spring-integration-core, or remove the property.", null);
		}

	}

	/**
	 * Fails the startup and names the exclusion, because a missing bean would be a less
	 * helpful message.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnMissingBean(LockEngines.class)
	static class ExcludedConfiguration {

		ExcludedConfiguration() {
			throw new LockStartException(
					"The application can't be a candidate for 'lock.leader-election.roles':"
							+ " LockAutoConfiguration is excluded.",
					"Remove it from 'spring.autoconfigure.exclude' and from the 'exclude' of annotations, or remove the"
							+ " property.",
					null);
		}

	}

	static class OnRolesCondition extends OnPropertyListCondition {

		OnRolesCondition() {
			super("lock.leader-election.roles", () -> ConditionMessage.forCondition("Leader election"));
		}

	}

}
