package io.distributedlock.benchmarks.measure;

import java.math.BigDecimal;
import java.time.Duration;

/**
 * How long something is measured.
 *
 * @param warmUp how long each side runs before its first round
 * @param round how long a side runs at a time
 * @param rounds how often each side runs
 */
public record Effort(Duration warmUp, Duration round, int rounds) {

	/**
	 * Enough to see a change of a tenth.
	 */
	public static final Effort FULL = new Effort(Duration.ofSeconds(2), Duration.ofMillis(1000), 7);

	/**
	 * A first impression.
	 */
	public static final Effort QUICK = new Effort(Duration.ofMillis(1500), Duration.ofMillis(500), 5);

	/**
	 * Enough to show that a scenario works.
	 */
	public static final Effort TRIAL = new Effort(Duration.ofMillis(50), Duration.ofMillis(50), 1);

	/**
	 * Describe this effort for readers of the results.
	 * @return for example {@code 7 rounds of 1 s after 2 s of warm-up}
	 */
	public String text() {
		return "%d %s of %s s after %s s of warm-up".formatted(this.rounds, (this.rounds == 1) ? "round" : "rounds",
				seconds(this.round), seconds(this.warmUp));
	}

	private static String seconds(Duration duration) {
		return BigDecimal.valueOf(duration.toMillis(), 3).stripTrailingZeros().toPlainString();
	}

}
