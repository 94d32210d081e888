package io.distributedlock.benchmarks.contest;

import java.util.Arrays;
import java.util.concurrent.CompletionStage;

import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;

/**
 * This project's locks in an application with Spring Boot's default configuration.
 */
public final class SubjectSide implements AsynchronousSide {

	private final ConfigurableApplicationContext application;

	private final LockTemplate template;

	private SubjectSide(ConfigurableApplicationContext application) {
		this.application = application;
		this.template = application.getBean(LockTemplate.class);
	}

	/**
	 * Start an application.
	 * @param properties its properties, as {@code name=value}
	 * @return the side, to be closed by the caller
	 */
	public static SubjectSide start(String... properties) {
		return new SubjectSide(new SpringApplicationBuilder(Application.class).web(WebApplicationType.NONE)
			.bannerMode(Banner.Mode.OFF)
			.logStartupInfo(false)
			.properties("logging.level.root=warn",
					"spring.autoconfigure.exclude=" + (isJdbc(properties) ? "" : DataSourceAutoConfiguration.class.getName()))
			.properties(properties)
			.run());
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

}
