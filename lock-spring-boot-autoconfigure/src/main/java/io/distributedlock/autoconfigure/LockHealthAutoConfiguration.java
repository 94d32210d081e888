package io.distributedlock.autoconfigure;

import java.util.LinkedHashMap;
import java.util.Map;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.CompositeHealthContributor;
import org.springframework.boot.health.contributor.HealthContributor;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

import io.distributedlock.actuate.LocksHealthFactory;
import io.distributedlock.engine.LockEngine;
import io.distributedlock.engine.LockEngines;
import io.distributedlock.spi.LockClock;

/**
 * Auto-configuration for the health of the stores of the locks. The contributor is in no
 * group of readiness or liveness unless the application adds it.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = LockAutoConfiguration.class)
@ConditionalOnClass({ HealthContributor.class, ConditionalOnEnabledHealthIndicator.class })
@ConditionalOnBean(LockEngines.class)
@ConditionalOnEnabledHealthIndicator("locks")
@EnableConfigurationProperties(LockHealthProperties.class)
public final class LockHealthAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean(name = { "locksHealthIndicator", "locksHealthContributor" })
	CompositeHealthContributor locksHealthContributor(LockEngines engines, LockHealthProperties properties,
			LockClock clock) {
		LocksHealthFactory factory = new LocksHealthFactory(clock, properties.probe(), properties.interval(),
				properties.latencyThreshold(), properties.timeout());
		Map<String, HealthIndicator> indicators = new LinkedHashMap<>();
		for (LockEngine engine : engines.all()) {
			indicators.put(engine.name(), factory.indicator(engine.monitor(), engine.callbacks()));
		}
		return CompositeHealthContributor.fromMap(indicators);
	}

}
