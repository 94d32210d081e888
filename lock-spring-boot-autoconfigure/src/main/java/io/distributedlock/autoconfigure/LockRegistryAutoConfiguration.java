package io.distributedlock.autoconfigure;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.integration.support.locks.LockRegistry;

import io.distributedlock.engine.LockEngines;
import io.distributedlock.integration.LeaseLockRegistry;
import io.distributedlock.spi.Scopes;

/**
 * Auto-configuration for Spring Integration's {@link LockRegistry}: one for the default
 * store, and one for each further store that {@code lock.backends} lists. Backs off if
 * the application has one, and if {@link LockAutoConfiguration} is excluded.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = LockAutoConfiguration.class)
@ConditionalOnClass(LockRegistry.class)
@ConditionalOnBean(LockEngines.class)
@Import(AdditionalRegistriesRegistrar.class)
public final class LockRegistryAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean(LockRegistry.class)
	LeaseLockRegistry lockRegistry(Scopes scopes, LockProperties properties) {
		return new LeaseLockRegistry(scopes, properties.ttl());
	}

}
