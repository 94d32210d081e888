package io.distributedlock.benchmarks;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ProgressTests {

	private final List<String> lines = new ArrayList<>();

	private long nanos;

	@Test
	void theFirstRunLearnsFromItsScenarios() {
		Progress progress = progress(Map.of());

		progress.begin();
		pass(90);
		progress.step("Redis");
		pass(30);
		assertThat(progress.end("took")).isEqualTo(120);
		progress.begin();

		assertThat(this.lines).containsExactly("== a (1 of 3)", "-- 1:30 min  Redis", "== a took 2:00 min\n",
				"== b (2 of 3, about 4:00 min left)");
		assertThat(progress.total()).isEqualTo("2:00 min");
	}

	@Test
	void laterRunsKnowHowLongScenariosTake() {
		Progress progress = progress(Map.of("a", 100L, "b", 20L));

		progress.begin();

		assertThat(this.lines).containsExactly("== a (1 of 3, about 3:00 min left)");
	}

	private Progress progress(Map<String, Long> seconds) {
		return new Progress(this.lines::add, () -> this.nanos, List.of("a", "b", "c"), seconds);
	}

	private void pass(long seconds) {
		this.nanos += Duration.ofSeconds(seconds).toNanos();
	}

}
