package io.distributedlock.it.stores;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.task.TaskExecutionAutoConfiguration;
import org.springframework.boot.autoconfigure.task.TaskSchedulingAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.tomcat.autoconfigure.servlet.TomcatServletWebServerAutoConfiguration;
import org.springframework.boot.web.server.servlet.context.AnnotationConfigServletWebServerApplicationContext;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

import io.distributedlock.DistributedLock;
import io.distributedlock.LockContext;
import io.distributedlock.LockTemplate;
import io.distributedlock.autoconfigure.LockAutoConfiguration;
import io.distributedlock.it.etcd.RequiresEtcd;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of an application that is closed while a scheduled method, an asynchronous method
 * and a web request run inside a lock. Executors stop as by default in Spring, which
 * waits for running tasks.
 */
@ExtendWith(OutputCaptureExtension.class)
class GracefulShutdownIntegrationTests {

	private static final List<String> KINDS = List.of("scheduled", "asynchronous", "web");

	private final String[] shared = { "lock.key-prefix=" + UUID.randomUUID() + ":", "lock.wait-time=0s",
			"lock.call-timeout=10s" };

	@Test
	void bodiesEndInsideTheirLocksInMemoryWhichAreFreeAfter(CapturedOutput output) {
		closeInTheMiddle(output, "lock.backend=jdbc", "lock.jdbc.initialize-schema=always",
				"spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
	}

	@ParameterizedTest
	@EnumSource(mode = Mode.EXCLUDE, names = "ETCD")
	void bodiesEndInsideTheirLocksWhichAreFreeAfter(SharedStore store, CapturedOutput output) {
		closeInTheMiddle(output, store.properties().toArray(String[]::new));
	}

	private void closeInTheMiddle(CapturedOutput output, String... store) {
		new WebApplicationContextRunner(AnnotationConfigServletWebServerApplicationContext::new)
			.withConfiguration(AutoConfigurations.of(TomcatServletWebServerAutoConfiguration.class,
					DispatcherServletAutoConfiguration.class, WebMvcAutoConfiguration.class,
					TaskExecutionAutoConfiguration.class, TaskSchedulingAutoConfiguration.class,
					DataSourceAutoConfiguration.class, DataRedisAutoConfiguration.class, LockAutoConfiguration.class))
			.withUserConfiguration(Application.class)
			.withPropertyValues("server.port=0", "server.address=127.0.0.1", "server.shutdown=graceful")
			.withPropertyValues(this.shared)
			.withPropertyValues(store)
			.run((context) -> {
				Work work = context.getBean(Work.class);
				context.getBean(AsynchronousWork.class).start();
				CompletableFuture<HttpResponse<String>> response = request(
						((AnnotationConfigServletWebServerApplicationContext) context.getSourceApplicationContext())
							.getWebServer()
							.getPort());
				for (String kind : KINDS) {
					assertThat(work.begun(kind).await(30, TimeUnit.SECONDS)).as(kind).isTrue();
				}

				context.close();

				assertThat(work.endedHolding()).containsOnlyKeys(KINDS)
					.allSatisfy((kind, held) -> assertThat(held).isTrue());
				assertThat(response.get(30, TimeUnit.SECONDS).body()).isEqualTo("done");
			});
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class,
					DataRedisAutoConfiguration.class, LockAutoConfiguration.class))
			.withPropertyValues(this.shared)
			.withPropertyValues(store)
			.run((next) -> {
				LockTemplate template = next.getBean(LockTemplate.class);
				assertThat(KINDS).allSatisfy((kind) -> assertThat(template.tryExecuteWithoutResult(kind, (lease) -> {
				})).as(kind).isTrue());
			});
		assertThat(output).doesNotContain("Lost Lease[")
			.doesNotContain("was not confirmed")
			.doesNotContain("has not answered");
		// A server that the tests of this JVM share may log errors.
		assertThat(output.getAll().lines()).filteredOn((line) -> line.contains("ERROR"))
			.allMatch((line) -> line.contains("ch.vorburger."));
	}

	private static CompletableFuture<HttpResponse<String>> request(int port) {
		HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/work"))
			.timeout(Duration.ofMinutes(1))
			.build();
		return HttpClient.newHttpClient().sendAsync(request, HttpResponse.BodyHandlers.ofString());
	}

	@Nested
	@RequiresEtcd
	class OnEtcd {

		@Test
		void bodiesEndInsideTheirLocksWhichAreFreeAfter(CapturedOutput output) {
			closeInTheMiddle(output, SharedStore.ETCD.properties().toArray(String[]::new));
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAsync
	@EnableScheduling
	static class Application {

		@Bean
		Work work() {
			return new Work();
		}

		@Bean
		AsynchronousWork asynchronousWork(Work work) {
			return new AsynchronousWork(work);
		}

		@Bean
		WorkController workController(Work work) {
			return new WorkController(work);
		}

		/**
		 * Stops together with the executors, which wait for running tasks.
		 */
		@Bean
		Gate gateOfTasks(Work work) {
			return new Gate(SmartLifecycle.DEFAULT_PHASE, () -> work.letGo("scheduled", "asynchronous"));
		}

		/**
		 * Stops when the web server has begun to wait for requests that are under way.
		 */
		@Bean
		Gate gateOfRequests(Work work) {
			return new Gate(SmartLifecycle.DEFAULT_PHASE - 1024, () -> work.letGo("web"));
		}

	}

	static class Work {

		private final Map<String, CountDownLatch> begun = latches();

		private final Map<String, CountDownLatch> closing = latches();

		private final Map<String, Boolean> endedHolding = new ConcurrentHashMap<>();

		private static Map<String, CountDownLatch> latches() {
			return KINDS.stream().collect(Collectors.toMap((kind) -> kind, (kind) -> new CountDownLatch(1)));
		}

		CountDownLatch begun(String kind) {
			return this.begun.get(kind);
		}

		Map<String, Boolean> endedHolding() {
			return this.endedHolding;
		}

		void letGo(String... kinds) {
			Stream.of(kinds).forEach((kind) -> this.closing.get(kind).countDown());
		}

		// With a delay the lock would stay taken for that time, on etcd a little longer.
		@Scheduled(cron = "* * * * * *")
		@DistributedLock(name = "scheduled")
		void scheduled() throws InterruptedException {
			body("scheduled");
		}

		@DistributedLock(name = "asynchronous")
		void asynchronous() throws InterruptedException {
			body("asynchronous");
		}

		@DistributedLock(name = "web")
		void web() throws InterruptedException {
			body("web");
		}

		private void body(String kind) throws InterruptedException {
			this.begun.get(kind).countDown();
			boolean closed = this.closing.get(kind).await(1, TimeUnit.MINUTES);
			this.endedHolding.put(kind, closed && LockContext.current(kind).isHeld());
		}

	}

	static class AsynchronousWork {

		private final Work work;

		AsynchronousWork(Work work) {
			this.work = work;
		}

		@Async
		void start() throws InterruptedException {
			this.work.asynchronous();
		}

	}

	@RestController
	static class WorkController {

		private final Work work;

		WorkController(Work work) {
			this.work = work;
		}

		@GetMapping("/work")
		String work() throws InterruptedException {
			this.work.web();
			return "done";
		}

	}

	/**
	 * Runs an action when the application stops.
	 */
	static class Gate implements SmartLifecycle {

		private final int phase;

		private final Runnable stop;

		private volatile boolean running;

		Gate(int phase, Runnable stop) {
			this.phase = phase;
			this.stop = stop;
		}

		@Override
		public void start() {
			this.running = true;
		}

		@Override
		public void stop() {
			this.running = false;
			this.stop.run();
		}

		@Override
		public boolean isRunning() {
			return this.running;
		}

		@Override
		public int getPhase() {
			return this.phase;
		}

	}

}
