package io.distributedlock.it.integration;

import java.util.List;
import java.util.stream.Stream;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

import io.distributedlock.autoconfigure.LockAutoConfiguration;
import io.distributedlock.autoconfigure.LockLeaderElectionAutoConfiguration;
import io.distributedlock.autoconfigure.LockRegistryAutoConfiguration;

/**
 * An application with locks alone.
 */
@Configuration(proxyBeanMethods = false)
@ImportAutoConfiguration({ DataSourceAutoConfiguration.class, DataRedisAutoConfiguration.class,
		LockAutoConfiguration.class, LockRegistryAutoConfiguration.class, LockLeaderElectionAutoConfiguration.class })
class LockApplication {

	/**
	 * Start an application.
	 * @param properties its properties, {@code name=value}
	 * @param more further configuration
	 */
	static ConfigurableApplicationContext start(List<String> properties, Class<?>... more) {
		Class<?>[] sources = Stream.concat(Stream.of(LockApplication.class), Stream.of(more)).toArray(Class<?>[]::new);
		String[] arguments = Stream
			.concat(Stream.of("spring.config.name=none", "spring.jmx.enabled=false", "spring.main.banner-mode=off",
					"logging.level.io.etcd.jetcd.impl=error"), properties.stream())
			.map((property) -> "--" + property)
			.toArray(String[]::new);
		return new SpringApplicationBuilder(sources).web(WebApplicationType.NONE).run(arguments);
	}

}
