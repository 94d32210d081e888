package io.distributedlock.autoconfigure;

import java.util.stream.Collectors;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
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
import io.distributedlock.aop.LockAnnotationSettings;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.engine.DefaultLocks;
import io.distributedlock.engine.DefaultScopes;
import io.distributedlock.engine.EngineInstruments;
import io.distributedlock.engine.LockEngine;
import io.distributedlock.engine.LockEngines;
import io.distributedlock.engine.LockLimits;
import io.distributedlock.engine.SystemLockClock;
import io.distributedlock.epoch.TokenEpoch;
import io.distributedlock.scheduling.ScheduledRunConfigurer;
import io.distributedlock.spi.LeaseRetention;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.LockListener;
import io.distributedlock.spi.LockObserver;
import io.distributedlock.spi.Scopes;
import io.distributedlock.spi.StoreListener;

/**
 * Auto-configuration for distributed locks: annotated methods, the template, the view of
 * the locks, and the engine of the store that {@code lock.backend} names or that is the
 * only one present. The same beans are configured for each further store that
 * {@code lock.backends} lists.
 * <p>
 * Backs off bean by bean. Startup fails with an analysis if there is no store, or more
 * than one candidate.
 *
 * @since 0.1.0
 */
@AutoConfiguration(afterName = { "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration",
		"org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration",
		"org.springframework.boot.jdbc.autoconfigure.XADataSourceAutoConfiguration",
		"org.springframework.boot.jdbc.autoconfigure.JndiDataSourceAutoConfiguration" })
@EnableConfigurationProperties({ LockProperties.class, LockAnnotationsProperties.class, LockLimitsProperties.class,
		LockCircuitProperties.class, LockEventsProperties.class, LockHealthProperties.class,
		LockObservationsProperties.class })
@Import({ JdbcLockConfiguration.class, RedisLockConfiguration.class, RedlockLockConfiguration.class,
		ZooKeeperLockConfiguration.class, EtcdLockConfiguration.class, LocalLockConfiguration.class,
		LockTransactionConfiguration.class, LockSanitizingConfiguration.class, DistributedLockAopConfiguration.class,
		AdditionalStoresRegistrar.class })
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

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	LockBackendResolver lockBackendResolver(LockProperties properties, ObjectProvider<LockStore> stores,
			ConfigurableListableBeanFactory beanFactory) {
		return new LockBackendResolver(properties.configuredStores(), stores.stream().toList(), beanFactory);
	}

	@Bean(destroyMethod = "stop")
	@ConditionalOnMissingBean
	LockEngine lockEngine(LockBackendResolver backends, EngineEnvironment environment,
			ObjectProvider<LockRequestCustomizer> customizers) {
		return environment.engine(backends.standard(), customizers.orderedStream().toList());
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	EngineEnvironment lockEngineEnvironment(LockProperties properties, LockLimitsProperties limits,
			LockCircuitProperties circuit, LockClock clock, ObjectProvider<LockListener> listeners,
			ObjectProvider<StoreListener> storeListeners, ObjectProvider<LockObserver> observer,
			ObjectProvider<BackendDecorator> decorator) {
		EngineInstruments instruments = new EngineInstruments(observer.getIfAvailable(() -> LockObserver.NONE),
				new LockLimits(limits.toSettings()), circuit.toSettings(properties.boundedCallTimeout()),
				storeListeners.orderedStream().toList());
		return new EngineEnvironment(properties.toEngineSettings(), new TokenEpoch(properties.tokenEpoch()), clock,
				listeners.orderedStream().toList(), instruments, decorator.getIfAvailable(() -> BackendDecorator.NONE));
	}

	@Bean
	LockEngines lockEngines(LockEngine standard, LockProperties properties, BeanFactory beanFactory) {
		return new LockEngines(standard,
				properties.configuredStores()
					.further()
					.stream()
					.map(AdditionalStoresRegistrar::engineBeanName)
					.map((name) -> beanFactory.getBean(name, LockEngine.class))
					.toList());
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	BackendCatalog lockBackendCatalog(LockEngines engines) {
		return new BackendCatalog(engines.standard().name(),
				engines.all()
					.stream()
					.collect(Collectors.toMap(LockEngine::name, (engine) -> engine.backend().traits())));
	}

	@Bean
	@ConditionalOnMissingBean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	LockAnnotationSettings lockAnnotationSettings(LockAnnotationsProperties properties) {
		return properties.toSettings();
	}

	@Bean
	LockEngineLifecycle lockEngineLifecycle(LockEngine engine, LockProperties properties, LockClock clock) {
		return properties.toLifecycle(engine, clock);
	}

	@Bean
	LockHoldersLifecycle lockHoldersLifecycle(LockEngines engines, LockProperties properties,
			ConfigurableListableBeanFactory beanFactory) {
		return new LockHoldersLifecycle(engines, new HolderGracePeriod(properties.awaitHolders(), beanFactory));
	}

	@Bean
	LockEventPublisher lockEventPublisher(ApplicationEventPublisher publisher, ObjectProvider<LockEngine> engine,
			ObjectProvider<LockEngines> engines) {
		return new LockEventPublisher(publisher, engine::getObject, engines::getObject);
	}

	@Bean
	@ConditionalOnBooleanProperty("lock.events.verbose")
	VerboseLockEventPublisher verboseLockEventPublisher(LockEventPublisher events) {
		return new VerboseLockEventPublisher(events);
	}

	@Bean
	@ConditionalOnMissingBean
	Scopes lockScopes(LockEngines engines, ObjectProvider<LeaseRetention> retention) {
		return new DefaultScopes(engines, retention.getIfAvailable(() -> LeaseRetention.NONE));
	}

	@Bean
	@ConditionalOnMissingBean
	LockTemplate lockTemplate(LockEngines engines, Scopes scopes) {
		return new DefaultLockTemplate(engines, scopes);
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
