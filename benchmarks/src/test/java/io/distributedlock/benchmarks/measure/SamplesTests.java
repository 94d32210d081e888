package io.distributedlock.benchmarks.measure;

import java.util.Arrays;

import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

class SamplesTests {

	@Test
	void theRateIsTheMedian() {
		Samples odd = samples(300, 100, 200);
		Samples even = samples(100, 400, 200, 300);

		assertThat(odd.rate()).isEqualTo(200);
		assertThat(even.rate()).isEqualTo(250);
		assertThat(odd.lowest()).isEqualTo(100);
		assertThat(odd.highest()).isEqualTo(300);
	}

	@Test
	void theRatioIsTakenWithinRounds() {
		// The machine was ten times slower in the second round.
		Samples fast = samples(1_000, 100, 1_000);
		Samples half = samples(500, 50, 500);

		assertThat(half.ratioTo(fast)).isEqualTo(0.5);
		assertThat(fast.ratioTo(half)).isEqualTo(2);
	}

	@Test
	void oneOddRoundDoesNotDecideTheRatio() {
		Samples side = samples(100, 900, 100);
		Samples other = samples(200, 100, 200);

		assertThat(side.ratioTo(other)).isEqualTo(0.5);
	}

	@Test
	void percentilesAreMicroseconds() {
		Samples samples = samples(1);
		for (int i = 1; i <= 100; i++) {
			samples.nanos().recordValue(i * 1_000L);
		}

		assertThat(samples.micros(50)).isCloseTo(50, within(0.1));
		assertThat(samples.micros(99)).isCloseTo(99, within(0.1));
	}

	private static Samples samples(double... rates) {
		return new Samples("side", Arrays.stream(rates).boxed().toList(), new Histogram(3));
	}

}
