package io.distributedlock.it.redlock;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.distributedlock.backend.redlock.RedlockSettings;
import io.distributedlock.spi.LeaseGrant;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What is asked of each node, by its own count. The nodes have no other clients.
 */
class RedlockCommandsIntegrationTests {

	private static final int PAIRS = 200;

	private static RedlockServers servers;

	private int counts;

	@BeforeAll
	static void start() {
		servers = RedlockServers.start(5);
	}

	@AfterAll
	static void end() {
		servers.kill();
	}

	@Test
	void acquisitionAndReleaseAreOneScriptEachAtEveryNode() {
		try (RedlockTestClient client = client(Duration.ZERO)) {
			Count count = new Count();

			for (int i = 0; i < PAIRS; i++) {
				client.release(client.acquire("counted:" + i));
			}

			assertThat(count.scripts(2 * PAIRS)).as("scripts for %d pairs at each node", PAIRS)
				.containsOnly(2L * PAIRS);
			assertThat(count.calls("publish")).containsOnly(0L);
		}
	}

	@Test
	void lowTokenCostsOneScriptMoreAtEveryNode() {
		try (RedlockTestClient client = client(Duration.ZERO)) {
			String key = RedlockTestClient.newKey();
			LeaseGrant before = client.acquire(key);
			client.release(before);
			long far = before.token().last() + 10_000_000;
			servers.askAll((commands) -> commands.set("lock:{" + key + "}:c", String.valueOf(far)));
			Count count = new Count();

			LeaseGrant grant = client.acquire(key);

			assertThat(grant.token().first()).isGreaterThan(far);
			assertThat(count.scripts(2)).containsOnly(2L);
			client.release(grant);
			// What a key's tokens are above is remembered.
			client.release(client.acquire(key));
			assertThat(count.scripts(5)).containsOnly(5L);
		}
	}

	/**
	 * Tokens are proposed by the nodes' time, so that the clients' clocks matter only as
	 * far as they run. Proposals by a clock that is behind would all be too low.
	 */
	@ParameterizedTest
	@ValueSource(longs = { 0, 10, 1000 })
	void clocksOfClientsThatAreApartHardlyEverCostASecondRound(long millis) {
		try (RedlockTestClient first = client(Duration.ZERO); RedlockTestClient second = client(ahead(millis))) {
			String key = RedlockTestClient.newKey();
			Count count = new Count();
			long last = 0;
			for (int i = 0; i < PAIRS; i++) {
				RedlockTestClient client = (i % 2 == 0) ? first : second;
				LeaseGrant grant = client.acquire(key);
				assertThat(grant.token().first()).isGreaterThan(last);
				last = grant.token().last();
				client.release(grant);
			}

			List<Long> rounds = count.scripts(2 * PAIRS).stream().map((scripts) -> scripts - 2 * PAIRS).toList();
			System.out.printf("Clocks of two clients %d ms apart: second rounds of %d acquisitions at each node %s%n",
					millis, PAIRS, rounds);
			assertThat(rounds).as("second rounds").allMatch((each) -> each < PAIRS / 8);
		}
	}

	private static Duration ahead(long millis) {
		return Duration.ofMillis(millis);
	}

	private static RedlockTestClient client(Duration ahead) {
		RedlockSettings settings = RedlockTestClient.settings(servers.endpoints(), Duration.ofSeconds(60), false,
				RedlockTestClient.PREFIX);
		RedlockTestClient client = new RedlockTestClient(servers.endpoints(), null, settings, ahead).awaitVotes(5);
		client.release(client.acquire("warm"));
		return client;
	}

	/**
	 * Counts from now on.
	 */
	private final class Count {

		private final List<NodeCounts> before;

		private final int countsBefore;

		Count() {
			settle();
			this.before = count();
			this.countsBefore = RedlockCommandsIntegrationTests.this.counts;
		}

		/**
		 * Return how many scripts each node has run, once that is at least so many and
		 * nothing is under way.
		 */
		List<Long> scripts(int atLeast) {
			Awaitility.await()
				.untilAsserted(() -> assertThat(scripts()).allMatch((scripts) -> scripts >= atLeast));
			settle();
			return scripts();
		}

		/**
		 * Without those of looks: a look is a script with three INFOs, and one more.
		 */
		private List<Long> scripts() {
			List<NodeCounts> now = count();
			int ours = RedlockCommandsIntegrationTests.this.counts - this.countsBefore;
			return IntStream.range(0, now.size())
				.mapToObj((index) -> now.get(index).since(this.before.get(index)))
				.map((difference) -> difference.calls("evalsha") - 2 * (difference.calls("info") - ours) / 3)
				.toList();
		}

		List<Long> calls(String command) {
			List<NodeCounts> now = count();
			return IntStream.range(0, now.size())
				.mapToObj((index) -> now.get(index).since(this.before.get(index)).calls(command))
				.toList();
		}

		/**
		 * Count, which asks each node for INFO once.
		 */
		private List<NodeCounts> count() {
			RedlockCommandsIntegrationTests.this.counts++;
			return NodeCounts.of(servers);
		}

		private void settle() {
			Awaitility.await()
				.during(Duration.ofMillis(200))
				.until(() -> evalshas(count()).equals(evalshas(count())));
		}

		private static List<Long> evalshas(List<NodeCounts> counts) {
			return counts.stream().map((each) -> each.calls("evalsha")).toList();
		}

	}

}
