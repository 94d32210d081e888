package io.distributedlock.autoconfigure;

import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication.Type;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.http.codec.ServerCodecConfigurer;
import org.springframework.web.reactive.DispatcherHandler;

import io.distributedlock.web.LockWebExceptionHandler;

/**
 * Configures the problem details of Spring WebFlux.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnWebApplication(type = Type.REACTIVE)
@ConditionalOnClass(DispatcherHandler.class)
@ConditionalOnBooleanProperty("lock.web.problem-details.enabled")
class LockReactiveWebConfiguration {

	private static final String ERROR_HANDLER = "org.springframework.boot.webflux.error.ErrorWebExceptionHandler";

	/**
	 * The order of Boot's own handler, which answers everything. This handler is
	 * registered before it and therefore comes first.
	 */
	private static final int BEFORE_BOOTS = -1;

	@Bean
	@ConditionalOnMissingBean(type = ERROR_HANDLER)
	LockWebExceptionHandler lockWebExceptionHandler(ApplicationContext context, ServerCodecConfigurer codecs) {
		return new LockWebExceptionHandler(context, codecs.getWriters(), BEFORE_BOOTS);
	}

	/**
	 * If the application's handler replaces Boot's, with any order, it comes first.
	 */
	@Bean
	@ConditionalOnBean(type = ERROR_HANDLER)
	LockWebExceptionHandler lastLockWebExceptionHandler(ApplicationContext context, ServerCodecConfigurer codecs) {
		return new LockWebExceptionHandler(context, codecs.getWriters(), Ordered.LOWEST_PRECEDENCE);
	}

}
