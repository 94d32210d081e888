package io.distributedlock.aop;

import java.util.Map;

import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.support.PropertySourcesPlaceholderConfigurer;
import org.springframework.core.env.MapPropertySource;
import org.springframework.util.ClassUtils;

import io.distributedlock.spi.Scopes;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Application contexts with locks around annotated methods and {@link RecordingScopes}
 * behind them.
 */
final class LockedContext {

	private LockedContext() {
	}

	static ApplicationContextRunner runner() {
		return new ApplicationContextRunner().withUserConfiguration(DistributedLockAopConfiguration.class)
			.withBean(RecordingScopes.class)
			.withBean(PropertySourcesPlaceholderConfigurer.class);
	}

	/**
	 * Return a runner with one bean, which is proxied as a class and named by its simple
	 * class name.
	 */
	static ApplicationContextRunner runner(Class<?> beanClass) {
		return runner().withBean(ClassUtils.getShortNameAsProperty(beanClass), beanClass);
	}

	/**
	 * Return the failure of the startup of a context.
	 */
	static InvalidLockDeclarationException failure(AssertableApplicationContext context) {
		assertThat(context).hasFailed();
		Throwable cause = context.getStartupFailure();
		while (cause != null && !(cause instanceof InvalidLockDeclarationException)) {
			cause = cause.getCause();
		}
		assertThat(cause).as("the declaration that failed the start").isNotNull();
		return (InvalidLockDeclarationException) cause;
	}

	/**
	 * Return operations as resolved by a context without beans.
	 */
	static LockOperationSource operations(Map<String, Object> properties) {
		AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
		context.getEnvironment().getPropertySources().addFirst(new MapPropertySource("test", properties));
		context.register(PropertySourcesPlaceholderConfigurer.class);
		context.registerBean(Scopes.class, RecordingScopes::new);
		context.refresh();
		return new LockOperationSource(new LockOperationFactory(context.getBeanFactory()));
	}

}
