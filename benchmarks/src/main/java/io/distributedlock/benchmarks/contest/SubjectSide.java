package io.distributedlock.benchmarks.contest;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletionStage;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;

/**
 * This project's locks in an application with Spring Boot's default configuration.
 */
public final class SubjectSide implements AsynchronousSide {

	private final ConfigurableApplicationContext application;

	private final String[] properties;

	private final LockTemplate template;

	private SubjectSide(ConfigurableApplicationContext application, String[] properties) {
		this.application = application;
		this.properties = properties.clone();
		this.template = application.getBean(LockTemplate.class);
	}

	/**
	 * Start an application.
	 * @param properties its properties, as {@code name=value}
	 * @return the side, to be closed by the caller
	 */
	public static SubjectSide start(String... properties) {
		return new SubjectSide(application(properties, List.of()), properties);
	}

	/**
	 * Start an application whose locks are observed, with meters in memory.
	 * @param properties its properties, as {@code name=value}
	 * @return the side, to be closed by the caller
	 */
	public static SubjectSide observed(String... properties) {
		return new SubjectSide(run(properties, List.of(), Meters.class), properties);
	}

	/**
	 * Start an application without parts of it.
	 * @param properties its properties, as {@code name=value}
	 * @param excluded the names of auto-configurations to leave out
	 * @return the application, to be closed by the caller
	 */
	public static ConfigurableApplicationContext application(String[] properties, List<String> excluded) {
		return run(properties, excluded);
	}

	private static ConfigurableApplicationContext run(String[] properties, List<String> excluded,
			Class<?>... configuration) {
		List<String> names = new ArrayList<>(excluded);
		if (!isJdbc(properties)) {
			names.add(DataSourceAutoConfiguration.class.getName());
		}
		return new SpringApplicationBuilder(Application.class).sources(configuration)
			.web(WebApplicationType.NONE)
			.bannerMode(Banner.Mode.OFF)
			.logStartupInfo(false)
			.properties("logging.level.root=warn", "spring.autoconfigure.exclude=" + String.join(",", names))
			.properties(properties)
			.run();
	}

	// Without a URL Spring Boot would look for an embedded database.
	private static boolean isJdbc(String[] properties) {
		return Arrays.stream(properties).anyMatch((property) -> property.startsWith("spring.datasource.url"));
	}

	/**
	 * Return the template of the application.
	 * @return the template
	 */
	public LockTemplate template() {
		return this.template;
	}

	/**
	 * Return the application.
	 * @return the application, which this side closes
	 */
	public ConfigurableApplicationContext application() {
		return this.application;
	}

	/**
	 * Return what the application was started with.
	 * @return its properties, as {@code name=value}
	 */
	public String[] properties() {
		return this.properties.clone();
	}

	@Override
	public Held acquire(String key) {
		Lease lease = this.template.acquire(LockRequest.of(key).fenced());
		return lease::release;
	}

	@Override
	public CompletionStage<AsynchronousHeld> acquireAsync(String key) {
		return this.template.acquireAsync(LockRequest.of(key).fenced()).thenApply((lease) -> lease::releaseAsync);
	}

	@Override
	public void close() {
		this.application.close();
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

	}

	/**
	 * What Boot's starter for Actuator configures.
	 */
	@Configuration(proxyBeanMethods = false)
	static class Meters {

		@Bean
		MeterRegistry meterRegistry() {
			return new SimpleMeterRegistry();
		}

		@Bean
		SmartInitializingSingleton meterBinding(MeterRegistry registry, ObjectProvider<MeterBinder> binders) {
			return () -> binders.forEach((binder) -> binder.bindTo(registry));
		}

		@Bean
		ObservationRegistry observationRegistry(MeterRegistry meters) {
			ObservationRegistry registry = ObservationRegistry.create();
			registry.observationConfig().observationHandler(new DefaultMeterObservationHandler(meters));
			return registry;
		}

	}

}
