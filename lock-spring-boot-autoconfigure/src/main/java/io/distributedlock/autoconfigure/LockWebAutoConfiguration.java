package io.distributedlock.autoconfigure;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Import;

/**
 * Auto-configuration for problem details as the answer to web requests that fail with an
 * exception of a lock. Handlers of the application come first.
 *
 * @since 0.1.0
 */
@AutoConfiguration(beforeName = "org.springframework.boot.webflux.autoconfigure.error.ErrorWebFluxAutoConfiguration")
@ConditionalOnWebApplication
@EnableConfigurationProperties(LockWebProperties.class)
@Import({ LockServletWebConfiguration.class, LockReactiveWebConfiguration.class })
public final class LockWebAutoConfiguration {

}
