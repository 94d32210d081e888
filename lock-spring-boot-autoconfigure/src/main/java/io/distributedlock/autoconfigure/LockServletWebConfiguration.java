package io.distributedlock.autoconfigure;

import java.util.List;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication.Type;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerAdapter;

import io.distributedlock.web.LockHandlerExceptionResolver;

/**
 * Configures the problem details of Spring MVC.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnWebApplication(type = Type.SERVLET)
@ConditionalOnClass(DispatcherServlet.class)
@ConditionalOnBooleanProperty("lock.web.problem-details.enabled")
class LockServletWebConfiguration {

	@Bean
	LockHandlerExceptionResolver lockHandlerExceptionResolver(ApplicationContext context,
			@Qualifier("requestMappingHandlerAdapter") ObjectProvider<RequestMappingHandlerAdapter> adapter) {
		return new LockHandlerExceptionResolver(context, () -> {
			RequestMappingHandlerAdapter found = adapter.getIfAvailable();
			return (found != null) ? found.getMessageConverters() : List.of();
		});
	}

}
