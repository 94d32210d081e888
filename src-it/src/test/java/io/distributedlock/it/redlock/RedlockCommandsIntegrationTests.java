package io.distributedlock.it.redlock;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What is asked of each node, by its own count. The nodes have no other clients.
 */
class RedlockCommandsIntegrationTests {

	private static final int PAIRS = 50;

	private static RedlockServers servers;

	private int counts;

	@BeforeAll
	static void start() {
		servers = RedlockServers.start(3);
	}

	@AfterAll
	static void end() {
		servers.kill();
	}

	@Test
	void acquisitionAndReleaseAreOneScriptEachAtEveryNode() {
		try (RedlockTestClient client = new RedlockTestClient(servers.endpoints(), false)) {
			client.release(client.acquire("warm"));
			Awaitility.await().until(() -> client.voting().size() == 3);
			settle();
			List<NodeCounts> before = counts();
			int countsBefore = this.counts;

			for (int i = 0; i < PAIRS; i++) {
				client.release(client.acquire("counted:" + i));
			}

			Awaitility.await()
				.untilAsserted(
						() -> assertThat(lockCalls(before, countsBefore)).allMatch((calls) -> calls >= 2 * PAIRS));
			settle();
			assertThat(lockCalls(before, countsBefore)).as("scripts for %d pairs at each node", PAIRS)
				.allMatch((calls) -> calls == 2 * PAIRS);
			assertThat(counts()).extracting((counts) -> counts.calls("publish")).containsOnly(0L);
		}
	}

	/**
	 * Return how many scripts each node has run since, without those of looks: a look is
	 * a script with three INFOs, and one more.
	 */
	private List<Long> lockCalls(List<NodeCounts> before, int countsBefore) {
		List<NodeCounts> now = counts();
		int ours = this.counts - countsBefore;
		return IntStream.range(0, now.size())
			.mapToObj((index) -> now.get(index).since(before.get(index)))
			.map((difference) -> difference.calls("evalsha") - 2 * (difference.calls("info") - ours) / 3)
			.toList();
	}

	/**
	 * Count, which asks each node for INFO once.
	 */
	private List<NodeCounts> counts() {
		this.counts++;
		return NodeCounts.of(servers);
	}

	/**
	 * Wait until nothing is under way at any node.
	 */
	private void settle() {
		Awaitility.await().during(Duration.ofMillis(200)).until(() -> {
			List<NodeCounts> first = counts();
			List<NodeCounts> second = counts();
			return first.stream()
				.map((each) -> each.calls("evalsha"))
				.toList()
				.equals(second.stream().map((each) -> each.calls("evalsha")).toList());
		});
	}

}
