package io.distributedlock.benchmarks.report;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class GoalTests {

	@Test
	void moreIsBetter() {
		assertThat(Goal.atLeast("Redis", "of bare", 0.95, 0.95).isReached()).isTrue();
		assertThat(Goal.atLeast("Redis", "of bare", 0.95, 0.94).isReached()).isFalse();
	}

	@Test
	void lessIsBetter() {
		assertThat(Goal.atMost("Redis", "round trips", 1.5, 1.5).isReached()).isTrue();
		assertThat(Goal.atMost("Redis", "round trips", 1.5, 1.6).isReached()).isFalse();
	}

	@Test
	void aFigureThatIsNoNumberReachesNothing() {
		assertThat(Goal.atLeast("Redis", "of bare", 0.95, Double.NaN).isReached()).isFalse();
		assertThat(Goal.atMost("Redis", "of bare", 0.95, Double.NaN).isReached()).isFalse();
	}

	@Test
	void aMissedGoalStandsOut() {
		assertThat(Goal.atLeast("Redis, 8 threads", "of bare", 0.95, 0.97).markdown())
			.isEqualTo("| Redis, 8 threads | of bare | ≥ 0.95 | 0.97 | yes |");
		assertThat(Goal.atMost("Redis", "µs", 1, 12.34).markdown())
			.isEqualTo("| Redis | µs | ≤ 1.00 | 12.3 | **no** |");
	}

}
