package io.distributedlock.it.operations;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.springframework.boot.json.JsonParserFactory;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

import io.distributedlock.DistributedLock;
import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.Locks;
import io.distributedlock.it.net.TcpProxy;
import io.distributedlock.it.process.RequiresProgram;
import io.distributedlock.it.redis.RedisProcess;
import io.distributedlock.it.redlock.RedlockServers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A real Prometheus scrapes two applications and evaluates what {@code docs/monitoring}
 * has: each expression of the dashboard and of the alerts finds its series, and each
 * alert fires when its cause is there.
 */
@RequiresProgram(value = "prometheus", debianPackage = "prometheus")
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class MonitoringIntegrationTests {

	private static final Path DOCUMENTS = Path.of("..", "docs", "monitoring");

	private static final Duration PATIENCE = Duration.ofSeconds(90);

	private static final int KEYS = 500;

	private static RedisProcess redis;

	private static TcpProxy proxy;

	private static RedlockServers nodes;

	private static ScrapedApplication application;

	private static ScrapedApplication withNodes;

	private static PrometheusServer prometheus;

	@BeforeAll
	static void start() throws IOException {
		redis = RedisProcess.start();
		proxy = TcpProxy.to(redis.port());
		application = ScrapedApplication.start(Jobs.class, "lock.backend=redis", "lock.ttl=6s", "lock.wait-time=3s",
				"spring.data.redis.host=127.0.0.1", "spring.data.redis.port=" + proxy.port(),
				"lock.circuit.enabled=true", "lock.circuit.open-after=1s", "lock.limits.max-waiters=50");
		// Nodes without data are in quarantine for a while.
		nodes = RedlockServers.start(3);
		List<String> urls = nodes.all().stream().map((node) -> "redis://127.0.0.1:" + node.port()).toList();
		withNodes = ScrapedApplication.start(NoJobs.class, "lock.backend=redlock",
				"lock.redlock.nodes=" + String.join(",", urls), "lock.redlock.max-ttl=10m",
				"management.metrics.tags.application=nodes");
		prometheus = PrometheusServer.start(List.of(application.port(), withNodes.port()),
				alerts().replaceAll("for: \\w+", "for: 1s"));
	}

	@AfterAll
	static void stop() {
		Stream.of(prometheus, application, withNodes, proxy, redis).forEach(MonitoringIntegrationTests::close);
		nodes.all().forEach(MonitoringIntegrationTests::close);
	}

	private static void close(AutoCloseable resource) {
		try {
			if (resource != null) {
				resource.close();
			}
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static String alerts() throws IOException {
		return Files.readString(DOCUMENTS.resolve("alerts.yml"));
	}

	@Test
	@Order(1)
	void seriesDoNotGrowWithKeys() {
		acquire(KEYS / 2);
		long before = series();

		acquire(KEYS);
		acquire(KEYS);

		assertThat(application.scrape()).doesNotContain("order:");
		System.out.println("== series of the locks after " + (2 * KEYS + KEYS / 2) + " acquisitions on " + KEYS
				+ " keys: " + series());
		assertThat(series()).isEqualTo(before);
	}

	private static void acquire(int keys) {
		LockTemplate locks = application.bean(LockTemplate.class);
		for (int i = 0; i < keys; i++) {
			locks.acquire(LockRequest.of("order:" + i).name("orders")).release();
		}
	}

	private static long series() {
		return application.scrape().lines().filter((line) -> line.startsWith("distributed_lock_")).count();
	}

	@Test
	@Order(2)
	void eachAlertFiresWhenItsCauseIsThere() throws Exception {
		LockTemplate locks = application.bean(LockTemplate.class);
		Set<String> fired = new LinkedHashSet<>();

		// A body that runs for longer than twice its ttl, and is asked for by others.
		Lease contended = locks.acquire(LockRequest.of("contended").name("contended"));
		Lease nightly = locks.acquire(LockRequest.of("nightly").name("nightly"));
		await().atMost(PATIENCE).until(() -> {
			for (int i = 0; i < 60; i++) {
				locks.acquireAsync(LockRequest.of("contended").name("contended"));
			}
			return isFiring(fired, "DistributedLockWaitingLong") & isFiring(fired, "DistributedLockLimitReached");
		});
		awaitFiring(fired, "DistributedLockOverdue", "DistributedLockTicksMissed", "DistributedLockNodeQuarantined");
		nightly.release();

		application.bean(Locks.class).forceRelease("contended");
		await().atMost(PATIENCE).until(() -> !contended.isHeld());
		awaitFiring(fired, "DistributedLockLeaseLost");

		proxy.delay(Duration.ofMillis(800));
		await().atMost(PATIENCE).until(() -> {
			application.bean(Locks.class).find("contended");
			return isFiring(fired, "DistributedLockStoreSlow");
		});
		proxy.delay(Duration.ZERO);

		Lease held = locks.acquire(LockRequest.of("held").name("held").ttl(Duration.ofMinutes(2)));
		Lease shorter = locks.acquire(LockRequest.of("shorter").name("held"));
		proxy.cut();
		await().atMost(PATIENCE).until(() -> {
			locks.acquireAsync(LockRequest.of("unavailable").name("unavailable").waitTime(Duration.ofMillis(300)));
			return isFiring(fired, "DistributedLockStoreUnavailable") & isFiring(fired, "DistributedLockRenewalFailing")
					& isFiring(fired, "DistributedLockCircuitOpen");
		});
		proxy.restore();
		held.release();
		shorter.release();

		assertThat(fired).containsExactlyInAnyOrderElementsOf(names());
	}

	private static List<String> names() throws IOException {
		return Pattern.compile("alert: (\\w+)").matcher(alerts()).results().map((found) -> found.group(1)).toList();
	}

	private static void awaitFiring(Set<String> fired, String... alerts) {
		for (String alert : alerts) {
			await(alert).atMost(PATIENCE).until(() -> isFiring(fired, alert));
		}
	}

	private static boolean isFiring(Set<String> fired, String alert) {
		fired.addAll(prometheus.firing());
		return fired.contains(alert);
	}

	@Test
	@Order(3)
	void eachExpressionFindsItsSeries() throws IOException {
		// Outcomes have series since the first of their kind, and all have been there.
		List<String> expressions = new ArrayList<>(dashboard());
		expressions.addAll(alertExpressions());

		assertThat(expressions).hasSizeGreaterThan(20);
		for (String expression : expressions) {
			await(expression).atMost(PATIENCE).until(() -> prometheus.samples(expression) > 0);
		}
	}

	private static List<String> dashboard() throws IOException {
		String text = Files.readString(DOCUMENTS.resolve("grafana-dashboard.json"));
		// It has to be valid.
		assertThat(JsonParserFactory.getJsonParser().parseMap(text)).containsKey("panels");
		Matcher expression = Pattern.compile("\"expr\": *\"((?:[^\"\\\\]|\\\\.)*)\"").matcher(text);
		return expression.results()
			.map((found) -> found.group(1)
				.replace("\\\"", "\"")
				.replace("$store", ".*")
				.replace("$__rate_interval", "1m"))
			.toList();
	}

	/**
	 * Return the expressions of the alerts, without the comparison that hides series
	 * while all is well.
	 */
	private static List<String> alertExpressions() throws IOException {
		Matcher expression = Pattern.compile("expr: (?:>-\\s+)?(.+?) > [0-9.]+$", Pattern.MULTILINE | Pattern.DOTALL)
			.matcher(alerts());
		return expression.results().map((found) -> found.group(1).replaceAll("\\s+", " ")).toList();
	}

	@Configuration(proxyBeanMethods = false)
	static class NoJobs {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableScheduling
	static class Jobs {

		@Scheduled(cron = "* * * * * *")
		@DistributedLock(name = "nightly")
		void nightly() {
		}

	}

}
