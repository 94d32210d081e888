package io.distributedlock.scheduling;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import org.junit.jupiter.api.AfterEach;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;

import io.distributedlock.spi.OwnerId;

/**
 * Instances of applications that share a store.
 */
abstract class ScheduledInstances {

	private final String prefix = "ticks-" + OwnerId.random().value().substring(0, 8) + ":";

	private final List<ConfigurableApplicationContext> instances = new CopyOnWriteArrayList<>();

	/**
	 * Return the properties by which applications share a store.
	 * @return the properties, {@code name=value}
	 */
	protected abstract List<String> store();

	/**
	 * Add configuration that properties can't express.
	 * @param context the context of an instance, not yet started
	 */
	protected void prepare(ConfigurableApplicationContext context) {
	}

	@AfterEach
	void close() {
		this.instances.forEach(ConfigurableApplicationContext::close);
	}

	/**
	 * Start an instance of an application.
	 * @param application its configuration
	 * @param initializer prepares its context first
	 * @param properties properties in addition to those of the store, {@code name=value}
	 * @return its context, closed after the test
	 */
	final ConfigurableApplicationContext start(Class<?> application,
			ApplicationContextInitializer<ConfigurableApplicationContext> initializer, String... properties) {
		List<String> arguments = new ArrayList<>(
				List.of("--spring.config.name=none", "--spring.jmx.enabled=false", "--lock.key-prefix=" + this.prefix));
		store().forEach((property) -> arguments.add("--" + property));
		Arrays.stream(properties).forEach((property) -> arguments.add("--" + property));
		ConfigurableApplicationContext instance = new SpringApplicationBuilder(application).web(WebApplicationType.NONE)
			.initializers(this::prepare, initializer)
			.run(arguments.toArray(String[]::new));
		this.instances.add(instance);
		return instance;
	}

}
