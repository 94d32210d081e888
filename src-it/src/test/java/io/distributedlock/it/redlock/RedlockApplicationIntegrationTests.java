package io.distributedlock.it.redlock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationListener;
import org.springframework.context.PayloadApplicationEvent;

import io.distributedlock.Lease;
import io.distributedlock.LockTemplate;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.autoconfigure.LockAutoConfiguration;
import io.distributedlock.backend.redlock.RedlockEndpoint;
import io.distributedlock.backend.redlock.RedlockNodeEvent;
import io.distributedlock.it.net.FreePorts;
import io.distributedlock.it.redis.RedisProcess;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Applications that keep their locks on the nodes in their properties.
 */
class RedlockApplicationIntegrationTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(SslAutoConfiguration.class, LockAutoConfiguration.class))
		.withPropertyValues("lock.call-timeout=6s", "lock.redlock.node-timeout=5s",
				"lock.redlock.quarantine-on-empty=false", "lock.key-prefix=lock:app:");

	private final String key = RedlockTestClient.newKey();

	@Test
	void nodesOfThePropertiesKeepTheLocks() {
		RedlockServers servers = RedlockServers.shared().first(3);

		this.runner.withPropertyValues(nodes(urls(servers.endpoints())), "lock.instance-id=shop@one").run((context) -> {
			Lease lease = context.getBean(LockTemplate.class).acquire(this.key);

			assertThat(lease.fencingToken()).isPositive();
			Awaitility.await()
				.untilAsserted(
						() -> assertThat(servers.askAll((commands) -> commands.get("lock:app:{" + this.key + "}")))
							.allSatisfy((value) -> assertThat(value).endsWith("|shop@one")));
		});
		Awaitility.await()
			.untilAsserted(() -> assertThat(servers.askAll((commands) -> commands.get("lock:app:{" + this.key + "}")))
				.containsOnlyNulls());
	}

	@Test
	void contextThatWasStoppedAndStartedStillLocks() {
		this.runner.withPropertyValues(nodes(urls(RedlockServers.shared().first(3).endpoints()))).run((context) -> {
			context.getBean(LockTemplate.class).acquire(this.key);

			context.getSourceApplicationContext().stop();
			context.getSourceApplicationContext().start();

			assertThat(context.getBean(LockTemplate.class).tryAcquire(this.key)).isPresent();
		});
	}

	@Test
	void nodesWithTlsAndAUserOfTheirOwnAreTrustedByTheBundle() {
		this.runner.withPropertyValues(nodes(SecuredRedlock.urls()))
			.withPropertyValues("lock.redlock.ssl.bundle=locks", bundle())
			.run((context) -> assertThat(context.getBean(LockTemplate.class).execute(this.key, Lease::isHeld))
				.isTrue());
	}

	@Test
	void nodesThatAreNotTrustedEndTheStart() {
		this.runner.withPropertyValues(nodes(SecuredRedlock.urls()))
			.withPropertyValues("lock.startup-timeout=3s")
			.run((context) -> assertThat(context).getFailure()
				.cause()
				.hasMessageStartingWith("The store 'redlock' at ")
				.hasMessageContaining("certification path")
				.hasMessageNotContaining(SecuredRedlock.PASSWORD));
	}

	@Test
	void nodesThatRefuseTheUserEndTheStart() {
		List<String> urls = SecuredRedlock.urls()
			.stream()
			.map((url) -> url.replace(SecuredRedlock.PASSWORD, "wr0ng"))
			.toList();

		this.runner.withPropertyValues(nodes(urls))
			.withPropertyValues("lock.redlock.ssl.bundle=locks", bundle())
			.run((context) -> assertThat(context).getFailure()
				.cause()
				.hasMessageContaining("WRONGPASS")
				.hasMessageNotContaining("wr0ng"));
	}

	@Test
	void applicationStartsOnAClusterThatMayHaveForgottenItsLocksAndLocksLater() {
		RedlockServers servers = RedlockServers.start(3);
		try {
			this.runner
				.withPropertyValues(nodes(urls(servers.endpoints())), "lock.ttl=4s", "lock.redlock.max-ttl=4s",
						"lock.redlock.node-timeout=1s", "lock.redlock.quarantine-on-empty=true")
				.run((context) -> {
					LockTemplate locks = context.getBean(LockTemplate.class);

					assertThat(attempt(locks)).isEqualTo("unavailable");
					Awaitility.await()
						.atMost(Duration.ofSeconds(60))
						.untilAsserted(() -> assertThat(attempt(locks)).isEqualTo("granted"));
				});
		}
		finally {
			servers.kill();
		}
	}

	@Test
	void applicationStartsWhileAllNodesAreDownAndLocksLater() {
		List<Integer> ports = IntStream.range(0, 3).mapToObj((index) -> FreePorts.next()).toList();
		List<RedisProcess> started = new ArrayList<>();
		try {
			this.runner
				.withPropertyValues(nodes(urls(ports.stream().map(RedlockServers::endpoint).toList())),
						"lock.fail-fast=false", "lock.call-timeout=500ms", "lock.redlock.node-timeout=400ms")
				.run((context) -> {
					LockTemplate locks = context.getBean(LockTemplate.class);
					assertThat(attempt(locks)).isEqualTo("unavailable");

					ports.forEach((port) -> started.add(RedisProcess.start(port)));

					Awaitility.await()
						.atMost(Duration.ofSeconds(60))
						.untilAsserted(() -> assertThat(attempt(locks)).isEqualTo("granted"));
				});
		}
		finally {
			started.forEach(RedisProcess::close);
		}
	}

	@Test
	void whatHappensToANodeIsPublished() {
		RedlockServers servers = RedlockServers.start(3);
		Queue<String> events = new ConcurrentLinkedQueue<>();
		String third = servers.endpoints().get(2).name();
		// As in a cluster that was set up long ago.
		new RedlockTestClient(servers.endpoints(),
				RedlockTestClient.settings(servers.endpoints(), Duration.ofSeconds(4), false, "lock:app:"))
			.awaitVotes(3)
			.close();
		try {
			this.runner.withBean(ApplicationListener.class, () -> (event) -> {
				if (event instanceof PayloadApplicationEvent<?> published
						&& published.getPayload() instanceof RedlockNodeEvent news && news.node().equals(third)) {
					events.add(news.change().name());
				}
			})
				.withPropertyValues(nodes(urls(servers.endpoints())), "lock.ttl=4s", "lock.redlock.max-ttl=4s",
						"lock.redlock.node-timeout=1s", "lock.redlock.quarantine-on-empty=true")
				.run((context) -> {
					Awaitility.await().untilAsserted(() -> assertThat(events).startsWith("VOTING"));

					servers.get(2).kill();
					Awaitility.await().untilAsserted(() -> assertThat(events).contains("DOWN"));
					servers.get(2).restart();

					Awaitility.await()
						.atMost(Duration.ofSeconds(60))
						.untilAsserted(() -> assertThat(events).containsSubsequence("DOWN", "QUARANTINED", "VOTING"));
				});
		}
		finally {
			servers.kill();
		}
	}

	private String attempt(LockTemplate locks) {
		try {
			return locks.tryExecute(this.key, Lease::isHeld).isPresent() ? "granted" : "busy";
		}
		catch (LockUnavailableException ex) {
			return "unavailable";
		}
	}

	private static List<String> urls(List<RedlockEndpoint> endpoints) {
		return endpoints.stream().map((node) -> "redis://" + node.name()).toList();
	}

	private static String nodes(List<String> urls) {
		return "lock.redlock.nodes=" + String.join(",", urls);
	}

	private static String bundle() {
		return "spring.ssl.bundle.pem.locks.truststore.certificate="
				+ SecuredRedlock.certificate().certificate().toUri();
	}

}
