package io.distributedlock.benchmarks.report;

import java.util.List;

/**
 * A goal, and what was measured.
 *
 * @param subject what the goal is about, for example {@code Redis, 8 threads}
 * @param measure what is measured, for example {@code of the bare commands}
 * @param comparison whether more or less is better
 * @param required the goal
 * @param measured what was measured
 */
public record Goal(String subject, String measure, Comparison comparison, double required, double measured) {

	/**
	 * How the row of a goal ends that was missed.
	 */
	static final String MISSED = "| **no** |";

	private static final String REACHED = "| yes |";

	/**
	 * The head of a table of goals.
	 */
	public static final List<String> TABLE_HEAD = List.of("| what | measure | required | measured | reached |",
			"|---|---|---:|---:|---|");

	/**
	 * Which side of the required figure is good.
	 */
	public enum Comparison {

		/**
		 * More is better.
		 */
		AT_LEAST("≥"),

		/**
		 * Less is better.
		 */
		AT_MOST("≤");

		private final String sign;

		Comparison(String sign) {
			this.sign = sign;
		}

	}

	public static Goal atLeast(String subject, String measure, double required, double measured) {
		return new Goal(subject, measure, Comparison.AT_LEAST, required, measured);
	}

	public static Goal atMost(String subject, String measure, double required, double measured) {
		return new Goal(subject, measure, Comparison.AT_MOST, required, measured);
	}

	public boolean isReached() {
		return (this.comparison == Comparison.AT_LEAST) ? this.measured >= this.required
				: this.measured <= this.required;
	}

	/**
	 * Return the goal as a row of a table of goals.
	 * @return the row in Markdown
	 */
	public String markdown() {
		return "| %s | %s | %s %s | %s %s".formatted(Table.cell(this.subject), Table.cell(this.measure),
				this.comparison.sign, Table.number(this.required), Table.number(this.measured),
				isReached() ? REACHED : MISSED);
	}

}
