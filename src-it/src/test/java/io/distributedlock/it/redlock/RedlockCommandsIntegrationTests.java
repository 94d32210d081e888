package io.distributedlock.it.redlock;

import java.util.List;

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
			List<NodeCounts> before = NodeCounts.of(servers);

			for (int i = 0; i < PAIRS; i++) {
				client.release(client.acquire("counted:" + i));
			}

			Awaitility.await()
				.untilAsserted(() -> assertThat(lockCalls(before)).allMatch((calls) -> calls >= 2 * PAIRS));
			settle();
			// Each node is looked at by two further scripts every five seconds.
			assertThat(lockCalls(before)).as("scripts for %d pairs at each node, without looks", PAIRS)
				.allMatch((calls) -> calls == 2 * PAIRS);
			assertThat(NodeCounts.of(servers)).extracting((counts) -> counts.calls("publish")).containsOnly(0L);
		}
	}

	private static List<Long> lockCalls(List<NodeCounts> before) {
		List<NodeCounts> now = NodeCounts.of(servers);
		return java.util.stream.IntStream.range(0, now.size())
			.mapToObj((index) -> now.get(index).since(before.get(index)))
			// A look is one script with three INFOs, and one more.
			.map((counts) -> counts.calls("evalsha") - 2 * (counts.calls("info") - 1) / 3)
			.toList();
	}

	/**
	 * Wait until nothing is under way at any node.
	 */
	private static void settle() {
		Awaitility.await().during(java.time.Duration.ofMillis(200)).until(() -> {
			List<NodeCounts> first = NodeCounts.of(servers);
			List<NodeCounts> second = NodeCounts.of(servers);
			return first.stream()
				.map((each) -> each.calls("evalsha"))
				.toList()
				.equals(second.stream().map((each) -> each.calls("evalsha")).toList());
		});
	}

}
