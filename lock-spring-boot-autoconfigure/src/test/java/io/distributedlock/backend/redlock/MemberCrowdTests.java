package io.distributedlock.backend.redlock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import io.distributedlock.LockMode;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Members of one group that enter at the same moment.
 */
class MemberCrowdTests {

	private static final int INSTANCES = 30;

	@ParameterizedTest
	@EnumSource(names = { "SHARED", "PERMITS" })
	void allMembersOfACrowdEnterSoonIfThereIsRoom(LockMode mode) {
		List<Duration> all = new ArrayList<>();
		int attempts = 0;
		for (int seed = 0; seed < 20; seed++) {
			MemberCrowd crowd = MemberCrowd.run(seed, 3 + 2 * (seed % 2), INSTANCES, mode);
			assertThat(crowd.granted()).as("seed %d", seed).hasSize(INSTANCES);
			all.addAll(crowd.granted());
			attempts += crowd.attempts();
		}
		all.sort(null);
		System.out.printf("%s: until granted: median %s, longest %s; %.2f attempts each%n", mode,
				all.get(all.size() / 2), all.get(all.size() - 1), (double) attempts / all.size());
		assertThat(all.get(all.size() - 1)).isLessThan(Duration.ofMillis(100));
	}

}
