package io.distributedlock.it.etcd;

import java.time.Duration;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that keys that are not held can be obtained soon after an outage, whatever was in
 * progress when it began.
 */
@RequiresEtcd
@Execution(ExecutionMode.CONCURRENT)
class EtcdOutageIntegrationTests {

	private static final Duration TTL = Duration.ofSeconds(2);

	private static final Duration SLACK = Duration.ofSeconds(2);

	@Test
	void keysAreFreeSoonAfterAnOutageThatTheSessionOutlives() {
		Duration taken = new Outage(Duration.ofSeconds(30), Duration.ofSeconds(1), Outage.Kind.ANSWERS_LOST).run();

		assertThat(taken).isLessThan(SLACK);
	}

	@Tag("topology")
	@ParameterizedTest(name = "session ttl {0}, outage {1}, {2}")
	@MethodSource("outages")
	void keysAreFreeAfterEachOutage(Duration sessionTtl, Duration length, Outage.Kind kind) {
		Duration taken = new Outage(sessionTtl, length, kind).run();

		System.out.printf("session TTL %s, outage %s, %s: keys were taken for %d ms more%n", sessionTtl, length, kind,
				taken.toMillis());
		assertThat(taken).isLessThan(bound(sessionTtl, length));
	}

	static Stream<Arguments> outages() {
		return Stream.of(4, 30)
			.flatMap((sessionTtl) -> Stream.of(1, 3, 5, 10)
				.flatMap((length) -> Stream.of(Outage.Kind.values())
					.map((kind) -> Arguments.of(Duration.ofSeconds(sessionTtl), Duration.ofSeconds(length), kind))));
	}

	private static Duration bound(Duration sessionTtl, Duration length) {
		boolean outlives = length.compareTo(sessionTtl.dividedBy(2)) < 0;
		Duration longest = (sessionTtl.compareTo(TTL) > 0) ? sessionTtl : TTL;
		return outlives ? SLACK : longest.plus(SLACK);
	}

}
