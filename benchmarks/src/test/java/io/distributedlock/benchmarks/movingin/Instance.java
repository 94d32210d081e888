package io.distributedlock.benchmarks.movingin;

import java.util.concurrent.CompletableFuture;

import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * An application of a version: with the locks of another library, with both, or with
 * those of this one.
 *
 * @param context the application
 */
record Instance(ConfigurableApplicationContext context) implements AutoCloseable {

	static Instance start(Class<?> configuration, String... properties) {
		return new Instance(new SpringApplicationBuilder(configuration).web(WebApplicationType.NONE)
			.bannerMode(Banner.Mode.OFF)
			.logStartupInfo(false)
			.properties("logging.level.root=warn")
			.properties(properties)
			.run());
	}

	<T> T bean(Class<T> type) {
		return this.context.getBean(type);
	}

	/**
	 * Run something on another thread, where nothing is held, and wait for its end.
	 */
	static void elsewhere(Runnable call) {
		CompletableFuture.runAsync(call).join();
	}

	@Override
	public void close() {
		this.context.close();
	}

}
