package io.distributedlock.it.redlock;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.distributedlock.backend.redlock.RedlockSettings;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.LeaseGrant;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The commands that each of five nodes receives.
 */
class RedlockCommandsIntegrationTests {

	private static final int PAIRS = 200;

	private static final int THREADS = 16;

	private final RedlockServers servers = RedlockServers.start(5);

	private final String key = RedlockTestClient.newKey();

	private List<NodeMonitor> nodes = List.of();

	@AfterEach
	void end() {
		this.nodes.forEach(NodeMonitor::close);
		this.servers.kill();
	}

	@Test
	void acquisitionAndReleaseAreOneScriptEachAtEveryNode() {
		try (RedlockTestClient client = client(Duration.ZERO)) {
			watch();

			for (int i = 0; i < PAIRS; i++) {
				client.release(client.acquire(this.key + i));
			}

			settle();
			assertThat(this.nodes).allSatisfy((node) -> {
				assertThat(node.votes()).isEqualTo(PAIRS);
				assertThat(node.releases()).isEqualTo(PAIRS);
				assertThat(node.publications()).isZero();
			});
		}
	}

	@Test
	void callsOfManyThreadsShareScripts() {
		try (RedlockTestClient client = client(Duration.ZERO)) {
			watch();

			inThreads(THREADS, (thread) -> {
				for (int i = 0; i < PAIRS; i++) {
					assertThat(client.release(client.acquire(this.key + thread))).isTrue();
				}
			});

			settle();
			assertThat(this.nodes).allSatisfy((node) -> {
				assertThat(node.votes()).isEqualTo(THREADS * PAIRS);
				assertThat(node.releases()).isEqualTo(THREADS * PAIRS);
				assertThat(node.scripts()).isLessThan(2 * THREADS * PAIRS);
			});
		}
	}

	@Test
	void valueOfAnotherTypeConcernsNoOtherCallOfItsScript() {
		this.servers.askAll((commands) -> commands.hset("lock:{" + this.key + "0}", "version", "2"));
		try (RedlockTestClient client = client(Duration.ZERO)) {
			inThreads(THREADS, (thread) -> {
				for (int i = 0; i < PAIRS / 4; i++) {
					if (thread == 0) {
						assertThat(client.attempt(this.key + "0")).isInstanceOfSatisfying(
								AttemptOutcome.Unavailable.class,
								(unavailable) -> assertThat(unavailable.cause()).hasMessageContaining("another type"));
					}
					else {
						assertThat(client.release(client.acquire(this.key + thread))).isTrue();
					}
				}
			});
		}
		assertThat(this.servers.askAll((commands) -> commands.hget("lock:{" + this.key + "0}", "version")))
			.containsOnly("2");
	}

	private static void inThreads(int threads, IntConsumer task) {
		ExecutorService pool = Executors.newFixedThreadPool(threads);
		try {
			CompletableFuture
				.allOf(IntStream.range(0, threads)
					.mapToObj((thread) -> CompletableFuture.runAsync(() -> task.accept(thread), pool))
					.toArray(CompletableFuture[]::new))
				.join();
		}
		finally {
			pool.shutdownNow();
		}
	}

	@Test
	void lowTokenCostsOneScriptMoreAtEveryNodeAndIsRemembered() {
		try (RedlockTestClient client = client(Duration.ZERO)) {
			LeaseGrant before = client.acquire(this.key);
			client.release(before);
			long far = before.token().last() + 10_000_000;
			this.servers.askAll((commands) -> commands.set("lock:{" + this.key + "}:c", String.valueOf(far)));
			watch();

			LeaseGrant grant = client.acquire(this.key);

			settle();
			assertThat(grant.token().first()).isGreaterThan(far);
			assertThat(this.nodes).allSatisfy((node) -> assertThat(node.votes()).isEqualTo(2));
			client.release(grant);
			client.release(client.acquire(this.key));
			settle();
			assertThat(this.nodes).allSatisfy((node) -> assertThat(node.votes()).isEqualTo(3));
		}
	}

	/**
	 * Tokens are proposed by the nodes' time, so the clocks of clients do not matter.
	 * Otherwise all proposals by a clock that is behind would be too low, which is half
	 * of them.
	 */
	@ParameterizedTest
	@ValueSource(longs = { 0, 10, 1000 })
	void clocksOfClientsThatAreApartHardlyEverCostASecondRound(long millis) {
		try (RedlockTestClient first = client(Duration.ZERO);
				RedlockTestClient second = client(Duration.ofMillis(millis))) {
			watch();
			long last = 0;
			for (int i = 0; i < PAIRS; i++) {
				RedlockTestClient client = (i % 2 == 0) ? first : second;
				LeaseGrant grant = client.acquire(this.key);
				assertThat(grant.token().first()).isGreaterThan(last);
				last = grant.token().last();
				client.release(grant);
			}

			settle();
			List<Long> rounds = this.nodes.stream().map((node) -> node.votes() - PAIRS).toList();
			System.out.printf("Clocks of two clients %d ms apart: second rounds of %d acquisitions at each node %s%n",
					millis, PAIRS, rounds);
			assertThat(rounds).as("second rounds").allMatch((each) -> each < PAIRS / 8);
		}
	}

	private RedlockTestClient client(Duration ahead) {
		RedlockSettings settings = RedlockTestClient.settings(this.servers.endpoints(), Duration.ofSeconds(60), false,
				RedlockTestClient.PREFIX);
		RedlockTestClient client = new RedlockTestClient(this.servers.endpoints(), null, settings, ahead).awaitVotes(5);
		client.release(client.acquire("warm"));
		return client;
	}

	private void watch() {
		this.nodes = NodeMonitor.of(this.servers);
		settle();
		this.nodes.forEach(NodeMonitor::forget);
	}

	private void settle() {
		NodeMonitor.settle(this.nodes);
	}

}
