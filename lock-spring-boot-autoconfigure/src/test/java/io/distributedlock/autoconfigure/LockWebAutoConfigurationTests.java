package io.distributedlock.autoconfigure;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.http.codec.autoconfigure.CodecsAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.webflux.autoconfigure.HttpHandlerAutoConfiguration;
import org.springframework.boot.webflux.autoconfigure.WebFluxAutoConfiguration;
import org.springframework.boot.webflux.autoconfigure.error.ErrorWebFluxAutoConfiguration;
import org.springframework.boot.webflux.error.ErrorWebExceptionHandler;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.web.server.WebExceptionHandler;
import reactor.core.publisher.Mono;

import io.distributedlock.web.LockHandlerExceptionResolver;
import io.distributedlock.web.LockWebExceptionHandler;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LockWebAutoConfiguration}.
 */
class LockWebAutoConfigurationTests {

	private static final String ENABLED = "lock.web.problem-details.enabled=true";

	private final WebApplicationContextRunner servlets = new WebApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LockWebAutoConfiguration.class, WebMvcAutoConfiguration.class));

	private final ReactiveWebApplicationContextRunner reactive = new ReactiveWebApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(ErrorWebFluxAutoConfiguration.class, LockWebAutoConfiguration.class,
				HttpHandlerAutoConfiguration.class, WebFluxAutoConfiguration.class, CodecsAutoConfiguration.class));

	@Test
	void isOffByDefault() {
		this.servlets
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(LockHandlerExceptionResolver.class));
		this.reactive
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(LockWebExceptionHandler.class));
	}

	@Test
	void eachStackHasItsOwnHandlerAlone() {
		this.servlets.withPropertyValues(ENABLED)
			.run((context) -> assertThat(context).hasSingleBean(LockHandlerExceptionResolver.class)
				.doesNotHaveBean(LockWebExceptionHandler.class));
		this.reactive.withPropertyValues(ENABLED)
			.run((context) -> assertThat(context).hasSingleBean(LockWebExceptionHandler.class)
				.doesNotHaveBean(LockHandlerExceptionResolver.class));
	}

	@Test
	void applicationThatIsNoWebApplicationHasNone() {
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(LockWebAutoConfiguration.class))
			.withPropertyValues(ENABLED)
			.run((context) -> assertThat(context).hasNotFailed()
				.doesNotHaveBean(LockHandlerExceptionResolver.class)
				.doesNotHaveBean(LockWebExceptionHandler.class));
	}

	@Test
	void classesOfTheOtherStackAreNotNeeded() {
		this.servlets.withPropertyValues(ENABLED)
			.withClassLoader(new FilteredClassLoader("org.springframework.web.reactive", "reactor"))
			.run((context) -> assertThat(context).hasSingleBean(LockHandlerExceptionResolver.class));
		this.reactive.withPropertyValues(ENABLED)
			.withClassLoader(new FilteredClassLoader("org.springframework.web.servlet", "jakarta.servlet"))
			.run((context) -> assertThat(context).hasSingleBean(LockWebExceptionHandler.class));
	}

	@ParameterizedTest
	@ValueSource(strings = { "ture", "" })
	void valueThatIsNeitherTrueNorFalseIsRefused(String value) {
		this.servlets.withPropertyValues("lock.web.problem-details.enabled=" + value)
			.run((context) -> assertThat(context).getFailure()
				.hasStackTraceContaining("lock.web.problem-details.enabled"));
	}

	@Test
	void handlerComesDirectlyBeforeThatOfBoot() {
		this.reactive.withPropertyValues(ENABLED)
			.run((context) -> assertThat(context.getBeanProvider(WebExceptionHandler.class).orderedStream()).element(0)
				.isInstanceOf(LockWebExceptionHandler.class));
	}

	@Test
	void handlerThatTakesThePlaceOfBootsComesFirst() {
		ErrorWebExceptionHandler own = (exchange, ex) -> Mono.empty();

		this.reactive.withPropertyValues(ENABLED)
			.withBean(ErrorWebExceptionHandler.class, () -> own)
			.run((context) -> assertThat(context.getBeanProvider(WebExceptionHandler.class).orderedStream())
				.endsWith(own, context.getBean(LockWebExceptionHandler.class)));
	}

}
