package io.distributedlock.it.operations;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.stream.Stream;

import com.sun.net.httpserver.HttpServer;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * An application with locks and Boot's metrics, which Prometheus can scrape.
 */
final class ScrapedApplication implements AutoCloseable {

	private final ConfigurableApplicationContext context;

	private final HttpServer server;

	private ScrapedApplication(ConfigurableApplicationContext context) throws IOException {
		this.context = context;
		this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
		this.server.createContext("/metrics", (exchange) -> {
			byte[] body = scrape().getBytes(StandardCharsets.UTF_8);
			exchange.getResponseHeaders().add("Content-Type", "text/plain; version=0.0.4; charset=utf-8");
			exchange.sendResponseHeaders(200, body.length);
			try (OutputStream answer = exchange.getResponseBody()) {
				answer.write(body);
			}
		});
		this.server.start();
	}

	static ScrapedApplication start(Class<?> configuration, String... properties) {
		try {
			return new ScrapedApplication(
					new SpringApplicationBuilder(Application.class, configuration).web(WebApplicationType.NONE)
						// Not by default properties, which those of the sample would
						// replace.
						.run(Stream.of(properties).map((property) -> "--" + property).toArray(String[]::new)));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	int port() {
		return this.server.getAddress().getPort();
	}

	String scrape() {
		return this.context.getBean(PrometheusMeterRegistry.class).scrape();
	}

	<T> T bean(Class<T> type) {
		return this.context.getBean(type);
	}

	@Override
	public void close() {
		this.server.stop(0);
		this.context.close();
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

		@Bean
		PrometheusMeterRegistry registry() {
			return new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
		}

	}

}
