package io.distributedlock.it.operations;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import com.jayway.jsonpath.JsonPath;
import com.jayway.jsonpath.PathNotFoundException;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

import io.distributedlock.LockTemplate;
import io.distributedlock.spi.OwnerId;

/**
 * A web application that shows its health and its locks on a free port of 127.0.0.1.
 */
final class OperatedApplication implements AutoCloseable {

	private final HttpClient client = HttpClient.newHttpClient();

	private final ConfigurableApplicationContext context;

	private OperatedApplication(ConfigurableApplicationContext context) {
		this.context = context;
	}

	/**
	 * Start an application with locks of its own.
	 * @param properties {@code name=value}
	 */
	static OperatedApplication start(List<String> properties) {
		String id = OwnerId.random().value().substring(0, 8);
		List<String> all = new ArrayList<>(List.of("spring.config.name=none", "spring.main.banner-mode=off",
				"spring.jmx.enabled=false", "server.address=127.0.0.1", "server.port=0",
				"management.endpoints.web.exposure.include=health,locks",
				"management.endpoint.health.show-details=always", "management.health.defaults.enabled=false",
				"management.health.locks.enabled=true", "lock.instance-id=shop@one",
				"lock.key-prefix=operations-" + id + ":", "lock.zookeeper.root=/operations-" + id));
		all.addAll(properties);
		return new OperatedApplication(new SpringApplicationBuilder(Application.class).web(WebApplicationType.SERVLET)
			.run(all.stream().map((property) -> "--" + property).toArray(String[]::new)));
	}

	LockTemplate locks() {
		return this.context.getBean(LockTemplate.class);
	}

	/**
	 * Request what is below {@code /actuator}.
	 */
	Answer get(String path) {
		String port = this.context.getEnvironment().getProperty("local.server.port");
		HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/actuator" + path))
			.build();
		long begin = System.nanoTime();
		try {
			HttpResponse<String> response = this.client.send(request, HttpResponse.BodyHandlers.ofString());
			return new Answer(path, response.statusCode(), response.body(),
					Duration.ofNanos(System.nanoTime() - begin));
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
	}

	@Override
	public void close() {
		this.context.close();
	}

	/**
	 * An answer of the application.
	 *
	 * @param path what was requested
	 * @param status the status of HTTP
	 * @param body the JSON
	 * @param taken how long it took
	 */
	record Answer(String path, int status, String body, Duration taken) {

		/**
		 * Return a part of the JSON.
		 * @param jsonPath where it is
		 * @return the part, or {@code null} if there is none
		 */
		@Nullable Object read(String jsonPath) {
			try {
				return JsonPath.read(this.body, jsonPath);
			}
			catch (PathNotFoundException ex) {
				return null;
			}
		}

		@Override
		public String toString() {
			return "GET /actuator" + this.path + " -> " + this.status + " in " + this.taken.toMillis() + " ms\n  "
					+ this.body;
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

	}

}
