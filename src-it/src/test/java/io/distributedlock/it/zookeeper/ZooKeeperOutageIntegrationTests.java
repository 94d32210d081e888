package io.distributedlock.it.zookeeper;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.it.FurtherTopology;
import io.distributedlock.spi.OwnerId;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that a key that is not in use can be obtained soon after an outage or a crash.
 * Outages have different lengths, and sessions outlive them or not.
 */
@FurtherTopology
@Execution(ExecutionMode.SAME_THREAD)
class ZooKeeperOutageIntegrationTests {

	@Test
	void crashCostsNoMoreThanTheSessionTimeout(TestReporter reporter) throws Exception {
		String root = "/crash-" + OwnerId.random().value().substring(0, 8);
		Duration sessionTimeout = Duration.ofSeconds(8);
		try (ZooKeeperTestEngine here = engine(root, sessionTimeout);
				ZooKeeperTestEngine there = engine(root, sessionTimeout)) {
			here.template().acquire(LockRequest.of("key").ttl(Duration.ofMinutes(1)));
			CompletableFuture<Lease> waiting = there.template()
				.acquireAsync(LockRequest.of("key").waitTime(Duration.ofMinutes(1)))
				.toCompletableFuture();
			Awaitility.await("the waiter is in the queue").until(() -> line(there, root).size() == 2);
			// Until the waiter has read the holder's heartbeat, which it does repeatedly.
			Awaitility.await().pollDelay(sessionTimeout.dividedBy(3)).until(() -> true);

			here.route().cut();
			Awaitility.await("the holder's place is gone")
				.atMost(Duration.ofMinutes(1))
				.pollInterval(Duration.ofMillis(20))
				.until(() -> line(there, root).size() == 1);

			long goneAt = System.nanoTime();
			assertThat(waiting.join().isHeld()).isTrue();
			Duration after = Duration.ofNanos(System.nanoTime() - goneAt);
			reporter.publishEntry("granted after the end of the crashed session", after.toString());
			assertThat(after).isLessThan(sessionTimeout.dividedBy(4));
		}
	}

	private static ZooKeeperTestEngine engine(String root, Duration sessionTimeout) {
		return new ZooKeeperTestEngine(() -> ProxyRoute.to(ZooKeeperServer.port()), root, sessionTimeout);
	}

	private static List<String> line(ZooKeeperTestEngine engine, String root) throws Exception {
		return engine.client().handle().getChildren(root + "/lock:key", false);
	}

	static Stream<Arguments> outages() {
		List<Arguments> all = new ArrayList<>();
		for (int sessionSeconds : new int[] { 30, 4 }) {
			for (int seconds : new int[] { 1, 3, 5, 10 }) {
				all.add(Arguments.of(true, seconds, sessionSeconds));
				all.add(Arguments.of(false, seconds, sessionSeconds));
			}
		}
		return all.stream();
	}

	@ParameterizedTest(name = "answersAreLost={0}, {1} s, session timeout {2} s")
	@MethodSource("outages")
	void unusedKeyCanBeObtainedAgainSoonAfterAnOutage(boolean answersAreLost, int seconds, int sessionSeconds,
			TestReporter reporter) {
		Duration sessionTimeout = Duration.ofSeconds(sessionSeconds);
		try (ZooKeeperOutage outage = new ZooKeeperOutage(sessionTimeout)) {

			ZooKeeperOutage.Result result = outage.suffer(answersAreLost, Duration.ofSeconds(seconds));

			reporter.publishEntry((answersAreLost ? "answers" : "requests") + " lost for " + seconds
					+ " s, session timeout " + sessionSeconds + " s", result.toString());
			assertThat(result.longest()).as("%s", result)
				.isLessThan(ZooKeeperOutage.Result.bound(sessionTimeout, result.sessionLivedOn()));
		}
	}

}
