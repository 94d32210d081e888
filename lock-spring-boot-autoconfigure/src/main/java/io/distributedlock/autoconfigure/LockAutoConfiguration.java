package io.distributedlock.autoconfigure;

import java.util.Map;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;

import io.distributedlock.LockRequestCustomizer;
import io.distributedlock.LockTemplate;
import io.distributedlock.Locks;
import io.distributedlock.aop.BackendCatalog;
import io.distributedlock.aop.DistributedLockAopConfiguration;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.engine.DefaultLocks;
import io.distributedlock.engine.DefaultScopes;
import io.distributedlock.engine.LockEngine;
import io.distributedlock.engine.SystemLockClock;
import io.distributedlock.scheduling.ScheduledRunConfigurer;
import io.distributedlock.spi.LeaseKeeper;
import io.distributedlock.spi.LockBackend;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.LockListener;
import io.distributedlock.spi.Scopes;

/**
 * Auto-configuration for distributed locks: around annotated methods, the template, the
 * view of the locks, and the engine over the store that {@code lock.backend} names or
 * that is the only one present.
 * <p>
 * Backs off bean by bean. The start fails with an analysis where no store, or more than
 * one, could be meant.
 *
 * @since 0.1.0
 */
@AutoConfiguration(afterName = { "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration",
		"org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration",
		"org.springframework.boot.jdbc.autoconfigure.XADataSourceAutoConfiguration",
		"org.springframework.boot.jdbc.autoconfigure.JndiDataSourceAutoConfiguration" })
@EnableConfigurationProperties(LockProperties.class)
@Import({ JdbcLockConfiguration.class, RedisLockConfiguration.class, RedlockLockConfiguration.class,
		ZooKeeperLockConfiguration.class, EtcdLockConfiguration.class, LocalLockConfiguration.class,
		LockTransactionConfiguration.class, DistributedLockAopConfiguration.class })
public final class LockAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	LockClock lockClock() {
		return new SystemLockClock();
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	InstanceId lockInstanceId(LockProperties properties, Environment environment) {
		return InstanceId.of(properties, environment);
	}

	@Bean(destroyMethod = "stop")
	@ConditionalOnMissingBean
	LockEngine lockEngine(LockProperties properties, ObjectProvider<LockStore> stores,
			ConfigurableListableBeanFactory beanFactory, LockClock clock, ObjectProvider<LockListener> listeners,
			ObjectProvider<LockRequestCustomizer> customizers) {
		LockBackendChoice choice = new LockBackendChoice(properties.backend(), stores.stream().toList(), beanFactory);
		return new LockEngine(choice.choose(), properties.toEngineSettings(), clock, listeners.orderedStream().toList(),
				customizers.orderedStream().toList());
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	BackendCatalog lockBackendCatalog(LockEngine engine) {
		LockBackend backend = engine.backend();
		return new BackendCatalog(backend.name(), Map.of(backend.name(), backend.traits()));
	}

	@Bean
	LockEngineLifecycle lockEngineLifecycle(LockEngine engine, Locks locks, LockProperties properties,
			ConfigurableListableBeanFactory beanFactory) {
		return new LockEngineLifecycle(engine, locks, properties.failFast(),
				new HolderPatience(properties.awaitHolders(), beanFactory));
	}

	@Bean
	LockEventPublisher lockEventPublisher(ApplicationEventPublisher publisher, ObjectProvider<LockEngine> engine) {
		return new LockEventPublisher(publisher, engine::getObject);
	}

	@Bean
	@ConditionalOnMissingBean
	Scopes lockScopes(LockEngine engine, ObjectProvider<LeaseKeeper> keeper) {
		return new DefaultScopes(engine, keeper.getIfAvailable(() -> LeaseKeeper.NONE));
	}

	@Bean
	@ConditionalOnMissingBean
	LockTemplate lockTemplate(LockEngine engine, Scopes scopes) {
		return new DefaultLockTemplate(engine, scopes);
	}

	@Bean
	@ConditionalOnMissingBean
	Locks locks(LockEngine engine) {
		return new DefaultLocks(engine);
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static ScheduledRunConfigurer scheduledRunConfigurer() {
		return new ScheduledRunConfigurer();
	}

}
