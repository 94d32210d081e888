package io.distributedlock.autoconfigure;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.context.event.EventListener;

import io.distributedlock.LockRequest;
import io.distributedlock.TickMissedEvent;
import io.distributedlock.engine.LockEngines;
import io.distributedlock.observation.AcquireObservationConvention;
import io.distributedlock.observation.HoldObservationConvention;
import io.distributedlock.observation.LockMeters;
import io.distributedlock.observation.LockNameTags;
import io.distributedlock.observation.MeteredStores;
import io.distributedlock.observation.MicrometerLockObserver;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.LockObserver;
import io.distributedlock.spi.StoreMonitors;

/**
 * Auto-configuration for Micrometer observations and meters of locks.
 * <p>
 * The engine may be created before the registries, so these are looked up when they are
 * used.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = LockAutoConfiguration.class,
		afterName = { "org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration",
				"org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration" })
@ConditionalOnClass(ObservationRegistry.class)
@ConditionalOnBean(LockEngines.class)
@ConditionalOnBooleanProperty(name = "lock.observations.enabled", matchIfMissing = true)
@EnableConfigurationProperties(LockObservationsProperties.class)
public final class LockObservationAutoConfiguration {

	@Bean
	LockNameTags lockNameTags(LockObservationsProperties properties) {
		return new LockNameTags(properties.maxNames());
	}

	@Bean
	@ConditionalOnMissingBean
	LockObserver lockObserver(ObjectProvider<ObservationRegistry> registry, LockNameTags names,
			ObjectProvider<LockRequestSink> meters, ObjectProvider<AcquireObservationConvention> acquireConvention,
			ObjectProvider<HoldObservationConvention> holdConvention) {
		return new MicrometerLockObserver(() -> registry.getIfUnique(() -> ObservationRegistry.NOOP), names,
				meters.getIfAvailable(() -> LockRequestSink.NONE)::seen, acquireConvention.getIfAvailable(),
				holdConvention.getIfAvailable());
	}

	/**
	 * Receives requests for the meters. Its type can be loaded without Micrometer's core.
	 */
	@FunctionalInterface
	interface LockRequestSink {

		/**
		 * Ignores requests.
		 */
		LockRequestSink NONE = (store, request) -> {
		};

		/**
		 * Receive a request.
		 * @param store the name of the store
		 * @param request the request
		 */
		void seen(String store, LockRequest request);

	}

	/**
	 * Configures the meters. Without a registry, no call is measured.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(MeterRegistry.class)
	@ConditionalOnBean(MeterRegistry.class)
	static class LockMetersConfiguration {

		@Bean
		LockMeters lockMeters(ObjectProvider<StoreMonitors> stores, LockNameTags names, LockClock clock) {
			return new LockMeters(stores::getObject, names, clock);
		}

		@Bean
		LockRequestSink lockRequestSink(LockMeters meters) {
			return meters::seen;
		}

		@Bean
		LockMetersListener lockMetersListener(LockMeters meters) {
			return new LockMetersListener(meters);
		}

		@Bean
		MeteredStores meteredLockStores(LockClock clock) {
			return new MeteredStores(clock);
		}

		@Bean
		BackendDecorator meteredLockStoresDecorator(MeteredStores stores) {
			return stores::measure;
		}

	}

	/**
	 * Passes application events on to the meters.
	 *
	 * @param meters the meters
	 */
	record LockMetersListener(LockMeters meters) {

		/**
		 * The stores are connected now, so that their nodes are known.
		 */
		@EventListener(ContextRefreshedEvent.class)
		void refreshed() {
			this.meters.bindNodes();
		}

		@EventListener
		void missed(TickMissedEvent event) {
			this.meters.missed(event);
		}

	}

}
