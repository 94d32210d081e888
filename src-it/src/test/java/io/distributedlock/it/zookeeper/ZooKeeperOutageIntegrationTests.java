package io.distributedlock.it.zookeeper;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import io.distributedlock.it.FurtherTopology;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Outages of all lengths, with sessions that outlive them and sessions that do not: a key
 * that nobody uses can be had again soon after.
 */
@FurtherTopology
@Execution(ExecutionMode.SAME_THREAD)
class ZooKeeperOutageIntegrationTests {

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

	@ParameterizedTest(name = "answersAreLost={0}, {1} s, session time-out {2} s")
	@MethodSource("outages")
	void keyThatNobodyUsesCanBeHadAgainSoonAfterAnOutage(boolean answersAreLost, int seconds, int sessionSeconds,
			TestReporter reporter) {
		Duration sessionTimeout = Duration.ofSeconds(sessionSeconds);
		try (ZooKeeperOutage outage = new ZooKeeperOutage(sessionTimeout)) {

			ZooKeeperOutage.Result result = outage.suffer(answersAreLost, Duration.ofSeconds(seconds));

			reporter.publishEntry((answersAreLost ? "answers" : "requests") + " lost for " + seconds
					+ " s, session time-out " + sessionSeconds + " s", result.toString());
			assertThat(result.longest()).as("%s", result)
				.isLessThan(ZooKeeperOutage.Result.bound(sessionTimeout, result.sessionLivedOn()));
		}
	}

}
