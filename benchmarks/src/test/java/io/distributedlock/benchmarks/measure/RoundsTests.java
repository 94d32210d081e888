package io.distributedlock.benchmarks.measure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

class RoundsTests {

	private static final Effort THREE_ROUNDS = new Effort(Duration.ofMillis(7), Duration.ofMillis(5), 3);

	private final List<String> runs = new ArrayList<>();

	private final Map<String, Load> loads = new LinkedHashMap<>();

	@Test
	void eachRoundBeginsWithAnotherLoad() throws Exception {
		List.of("a", "b", "c").forEach(this::add);

		Comparison comparison = Rounds.run(THREE_ROUNDS, this.loads);

		assertThat(this.runs).containsExactly("a 7", "b 7", "c 7", "a 5", "b 5", "c 5", "b 5", "c 5", "a 5", "c 5",
				"a 5", "b 5");
		assertThat(comparison.samples().keySet()).containsExactly("a", "b", "c");
	}

	@Test
	void figuresOfTheWarmUpDoNotCount() throws Exception {
		this.loads.put("a", (duration, nanos) -> {
			nanos.recordValue(duration.toMillis());
			return duration.toMillis();
		});

		Samples samples = Rounds.run(THREE_ROUNDS, this.loads).of("a");

		assertThat(samples.rates()).containsExactly(5.0, 5.0, 5.0);
		assertThat(samples.nanos().getTotalCount()).isEqualTo(3);
		assertThat(samples.nanos().getMaxValue()).isEqualTo(5);
	}

	@Test
	void aLoadThatFailsEndsTheRun() {
		add("a");
		this.loads.put("b", (duration, nanos) -> {
			throw new IllegalStateException("down");
		});

		assertThatIllegalStateException().isThrownBy(() -> Rounds.run(THREE_ROUNDS, this.loads)).withMessage("down");
	}

	@Test
	void aSideThatTookNoPartIsNamed() throws Exception {
		add("a");

		Comparison comparison = Rounds.run(THREE_ROUNDS, this.loads);

		assertThatIllegalArgumentException().isThrownBy(() -> comparison.of("b")).withMessageContaining("[a]");
	}

	@Test
	void anEffortDescribesItself() {
		assertThat(Effort.FULL.text()).isEqualTo("7 rounds of 1 s after 2 s of warm-up");
		assertThat(Effort.TRIAL.text()).isEqualTo("1 round of 0.05 s after 0.05 s of warm-up");
	}

	private void add(String name) {
		this.loads.put(name, (duration, nanos) -> {
			this.runs.add(name + " " + duration.toMillis());
			return 1;
		});
	}

}
