package io.distributedlock.it.operations;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.tracing.handler.DefaultTracingObservationHandler;
import io.micrometer.tracing.test.simple.SimpleSpan;
import io.micrometer.tracing.test.simple.SimpleTracer;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

import io.distributedlock.DistributedLock;
import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.it.redis.RedisProcess;
import io.distributedlock.spi.StoreMonitors;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A web request waits for a lock that another instance holds. Its trace shows the wait,
 * the hold and what the body does, each below the right span.
 */
class WaitingRequestTraceIntegrationTests {

	@Test
	void traceShowsTheWaitAndTheBody() throws Exception {
		try (RedisProcess redis = RedisProcess.start();
				ConfigurableApplicationContext other = start(WebApplicationType.NONE, redis);
				ConfigurableApplicationContext web = start(WebApplicationType.SERVLET, redis)) {
			Lease held = other.getBean(LockTemplate.class).acquire(LockRequest.of("orders:42"));

			CompletableFuture<HttpResponse<String>> answer = get(web, "/orders/42");
			await().until(() -> !web.getBean(StoreMonitors.class).find("redis").orElseThrow().waiting().isEmpty());
			held.release();

			assertThat(answer.get().body()).isEqualTo("shipped");
			SimpleTracer tracer = web.getBean(SimpleTracer.class);
			await().until(
					() -> tracer.getSpans().stream().filter((span) -> span.getName().startsWith("http")).count() == 1);
			Map<String, SimpleSpan> spans = tracer.getSpans()
				.stream()
				// Commands of Redis have spans, too.
				.collect(Collectors.toMap(SimpleSpan::getName, (span) -> span, (first, next) -> first));
			print(spans);
			SimpleSpan request = spans.get("http get /orders/{id}");
			SimpleSpan wait = spans.get("acquire lock orders");
			SimpleSpan hold = spans.get("hold lock orders");
			SimpleSpan body = spans.get("ship");
			assertThat(wait.context().parentId()).isEqualTo(request.context().spanId());
			assertThat(hold.context().parentId()).isEqualTo(request.context().spanId());
			assertThat(body.context().parentId()).isEqualTo(hold.context().spanId());
			assertThat(wait.getTags()).containsEntry("lock.name", "orders")
				.containsEntry("lock.store", "redis")
				.containsEntry("lock.outcome", "acquired")
				.containsEntry("lock.key", "orders:42");
			assertThat(hold.getTags()).containsEntry("lock.outcome", "released").containsKey("lock.fencing_token");
			assertThat(Duration.between(wait.getStartTimestamp(), wait.getEndTimestamp())).isPositive();
		}
	}

	private static void print(Map<String, SimpleSpan> spans) {
		spans.values()
			.stream()
			.sorted((one, next) -> one.getStartTimestamp().compareTo(next.getStartTimestamp()))
			.forEach((span) -> System.out.println("== span " + span.getName() + ", id " + span.context().spanId()
					+ ", parent " + span.context().parentId() + ", " + span.getTags()));
	}

	private static ConfigurableApplicationContext start(WebApplicationType type, RedisProcess redis) {
		return new SpringApplicationBuilder(Application.class).web(type)
			.run("--lock.backend=redis", "--server.port=0", "--server.address=127.0.0.1",
					"--spring.data.redis.host=127.0.0.1", "--spring.data.redis.port=" + redis.port());
	}

	private static CompletableFuture<HttpResponse<String>> get(ConfigurableApplicationContext web, String path) {
		String port = web.getEnvironment().getRequiredProperty("local.server.port");
		return HttpClient.newHttpClient()
			.sendAsync(HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path)).build(),
					HttpResponse.BodyHandlers.ofString());
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

		@Bean
		SimpleTracer tracer() {
			return new SimpleTracer();
		}

		@Bean
		DefaultTracingObservationHandler tracing(SimpleTracer tracer) {
			return new DefaultTracingObservationHandler(tracer);
		}

		@Bean
		OrderController orders(OrderService orders) {
			return new OrderController(orders);
		}

		@Bean
		OrderService orderService(ObservationRegistry observations) {
			return new OrderService(observations);
		}

	}

	@RestController
	static class OrderController {

		private final OrderService orders;

		OrderController(OrderService orders) {
			this.orders = orders;
		}

		@GetMapping("/orders/{id}")
		String ship(@PathVariable("id") String id) {
			return this.orders.ship(id);
		}

	}

	static class OrderService {

		private final ObservationRegistry observations;

		OrderService(ObservationRegistry observations) {
			this.observations = observations;
		}

		@DistributedLock(name = "orders", key = "#id")
		String ship(String id) {
			return Observation.createNotStarted("ship", this.observations).observe(() -> "shipped");
		}

	}

}
