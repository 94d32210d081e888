package io.distributedlock.autoconfigure;

import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.autoconfigure.endpoint.expose.EndpointExposure;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;

import io.distributedlock.actuate.LockAuditor;
import io.distributedlock.actuate.LocksEndpoint;
import io.distributedlock.actuate.LocksEndpointWebExtension;
import io.distributedlock.spi.StoreMonitors;

/**
 * Auto-configuration for the endpoint {@code locks}. Its exposure and access are those of
 * Spring Boot; by default it is read-only.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = LockAutoConfiguration.class)
@ConditionalOnClass(ConditionalOnAvailableEndpoint.class)
@ConditionalOnAvailableEndpoint(LocksEndpoint.class)
@ConditionalOnBean(StoreMonitors.class)
@EnableConfigurationProperties(LocksEndpointProperties.class)
public final class LocksEndpointAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	LocksEndpoint locksEndpoint(InstanceId instance, StoreMonitors stores, ApplicationEventPublisher publisher,
			LocksEndpointProperties properties) {
		return new LocksEndpoint(instance.value(), stores, new LockAuditor(publisher), properties.showValues());
	}

	@Bean
	@ConditionalOnMissingBean
	@ConditionalOnBean(LocksEndpoint.class)
	@ConditionalOnAvailableEndpoint(exposure = EndpointExposure.WEB)
	LocksEndpointWebExtension locksEndpointWebExtension(LocksEndpoint endpoint, LocksEndpointProperties properties) {
		return new LocksEndpointWebExtension(endpoint, properties.showValues(), properties.roles());
	}

}
