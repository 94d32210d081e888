package io.distributedlock.benchmarks.report;

import java.util.List;

/**
 * What a scenario has measured, as it was kept.
 *
 * @param tables the figures in Markdown
 * @param goals a row of a table in Markdown for each goal
 * @param charts the pictures
 * @param measurement how it was measured
 */
public record ScenarioResults(String tables, List<String> goals, List<Picture> charts, Measurement measurement) {

	/**
	 * Return how many goals were reached.
	 * @return the number
	 */
	public long reached() {
		return this.goals.stream().filter((goal) -> !goal.endsWith(Goal.MISSED)).count();
	}

	/**
	 * A picture of a chart.
	 *
	 * @param title what it shows
	 * @param svg the SVG document
	 */
	public record Picture(String title, String svg) {
	}

}
