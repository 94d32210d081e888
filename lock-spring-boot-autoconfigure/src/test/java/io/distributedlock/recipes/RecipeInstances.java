package io.distributedlock.recipes;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.task.TaskSchedulingAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

import io.distributedlock.autoconfigure.LockAutoConfiguration;
import io.distributedlock.autoconfigure.LockLeaderElectionAutoConfiguration;

/**
 * Instances of an application that share a database in memory, and the locks in it.
 */
final class RecipeInstances implements AutoCloseable {

	private final List<String> store = List.of("lock.backend=jdbc", "lock.jdbc.initialize-schema=always",
			"spring.datasource.username=sa",
			"spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=60000");

	private final List<ConfigurableApplicationContext> started = new ArrayList<>();

	private final List<Object> shared;

	/**
	 * Create a group of instances.
	 * @param shared beans of every instance, by the simple names of their classes
	 */
	RecipeInstances(Object... shared) {
		this.shared = List.of(shared);
	}

	/**
	 * Start an instance.
	 * @param application its configuration
	 * @param properties further properties, {@code name=value}
	 * @return its context
	 */
	ConfigurableApplicationContext start(Class<?> application, String... properties) {
		List<String> all = new ArrayList<>(this.store);
		all.addAll(List.of("spring.config.name=recipes", "spring.main.banner-mode=off", "spring.jmx.enabled=false"));
		all.addAll(Arrays.asList(properties));
		ConfigurableApplicationContext instance = new SpringApplicationBuilder(Base.class, application)
			.web(WebApplicationType.NONE)
			.initializers((context) -> this.shared
				.forEach((bean) -> context.getBeanFactory().registerSingleton(bean.getClass().getSimpleName(), bean)))
			.run(all.stream().map((property) -> "--" + property).toArray(String[]::new));
		this.started.add(instance);
		return instance;
	}

	@Override
	public void close() {
		this.started.forEach(ConfigurableApplicationContext::close);
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ DataSourceAutoConfiguration.class, DataSourceTransactionManagerAutoConfiguration.class,
			JdbcTemplateAutoConfiguration.class, TransactionAutoConfiguration.class,
			TaskSchedulingAutoConfiguration.class, LockAutoConfiguration.class,
			LockLeaderElectionAutoConfiguration.class })
	static class Base {

	}

}
