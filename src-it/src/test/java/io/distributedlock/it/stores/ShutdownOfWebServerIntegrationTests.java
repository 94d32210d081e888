package io.distributedlock.it.stores;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

import io.distributedlock.DistributedLock;
import io.distributedlock.Lease;
import io.distributedlock.LockContext;
import io.distributedlock.LockTemplate;
import io.distributedlock.it.redis.RedisServer;
import io.distributedlock.spi.OwnerId;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A web request that is under way when its application is closed. The connections to this
 * store are closed by a phase of the shutdown, like the server's.
 */
class ShutdownOfWebServerIntegrationTests {

	private final String prefix = "--lock.key-prefix=web-" + OwnerId.random().value().substring(0, 8) + ":";

	@Test
	void requestThatIsUnderWayHoldsItsLeaseToTheEnd() throws Exception {
		try (ConfigurableApplicationContext application = start(WebApplicationType.SERVLET)) {
			Progress progress = application.getBean(Progress.class);
			CompletableFuture<HttpResponse<String>> answer = get(
					application.getEnvironment().getProperty("local.server.port"));
			assertThat(progress.begun.await(60, TimeUnit.SECONDS)).isTrue();

			application.close();

			assertThat(answer.get(60, TimeUnit.SECONDS).body()).isEqualTo("held");
		}
		try (ConfigurableApplicationContext other = start(WebApplicationType.NONE)) {
			assertThat(other.getBean(LockTemplate.class).tryAcquire("request")).isPresent();
		}
	}

	private ConfigurableApplicationContext start(WebApplicationType type) {
		List<String> arguments = Stream
			.of("--spring.config.name=none", "--spring.jmx.enabled=false", "--server.port=0",
					"--server.address=127.0.0.1", "--lock.backend=redis", "--spring.data.redis.host=127.0.0.1",
					"--spring.data.redis.port=" + RedisServer.port(), this.prefix)
			.toList();
		return new SpringApplicationBuilder(Application.class).web(type).run(arguments.toArray(String[]::new));
	}

	private static CompletableFuture<HttpResponse<String>> get(String port) {
		HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/")).build();
		return HttpClient.newHttpClient().sendAsync(request, HttpResponse.BodyHandlers.ofString());
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

		@Bean
		Progress progress() {
			return new Progress();
		}

		@Bean
		Controller controller(Progress progress) {
			return new Controller(progress);
		}

	}

	/**
	 * How far the request and the shutdown have come.
	 */
	static class Progress {

		private final CountDownLatch begun = new CountDownLatch(1);

		private final CountDownLatch closing = new CountDownLatch(1);

		@EventListener(ContextClosedEvent.class)
		void close() {
			this.closing.countDown();
		}

	}

	@RestController
	static class Controller {

		private final Progress progress;

		Controller(Progress progress) {
			this.progress = progress;
		}

		@GetMapping("/")
		@DistributedLock(name = "request", ttl = "3s")
		String work() throws InterruptedException {
			Lease lease = LockContext.current();
			this.progress.begun.countDown();
			assertThat(this.progress.closing.await(60, TimeUnit.SECONDS)).isTrue();
			// Until it was renewed, or lost.
			AtomicReference<Duration> last = new AtomicReference<>(lease.remaining());
			Awaitility.await()
				.atMost(Duration.ofSeconds(60))
				.until(() -> !lease.isHeld() || lease.remaining().compareTo(last.getAndSet(lease.remaining())) > 0);
			return lease.isHeld() ? "held" : "lost";
		}

	}

}
