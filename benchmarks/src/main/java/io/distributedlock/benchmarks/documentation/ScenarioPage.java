package io.distributedlock.benchmarks.documentation;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.distributedlock.benchmarks.report.Goal;
import io.distributedlock.benchmarks.report.Measurement;
import io.distributedlock.benchmarks.report.ScenarioResults;
import io.distributedlock.benchmarks.scenario.Scenario;

/**
 * The page of a scenario: what it measures, its charts, its goals and its tables.
 *
 * @param scenario the scenario
 * @param results its results
 */
record ScenarioPage(Scenario scenario, ScenarioResults results) {

	private static final String DESCRIPTION = "description";

	private static final String RESULTS = "results";

	/**
	 * Return the page.
	 * @param former the page as it is; empty for a new one
	 */
	String text(Optional<String> former) {
		return new MarkedPage(former.orElseGet(this::skeleton)).with(DESCRIPTION, description())
			.with(RESULTS, figures())
			.text();
	}

	private String skeleton() {
		return "# " + this.scenario.title() + "\n\n" + MarkedPage.part(DESCRIPTION, "") + "\n"
				+ "[Performance](../performance.md) says how all figures were measured, and on which machine.\n\n"
				+ MarkedPage.part(RESULTS, "");
	}

	private String description() {
		Measurement measurement = this.results.measurement();
		return this.scenario.description().strip() + "\n\nMeasured on " + measurement.date() + " at commit `"
				+ measurement.commit() + "`: " + measurement.setting().effort() + ".";
	}

	private String figures() {
		String charts = IntStream.range(0, this.results.charts().size())
			.mapToObj((i) -> image("../", i))
			.collect(Collectors.joining("\n\n"));
		String goals = this.results.goals().isEmpty() ? "" : "**Goals**\n\n" + goals();
		return List.of(charts, goals, this.results.tables())
			.stream()
			.filter((part) -> !part.isBlank())
			.collect(Collectors.joining("\n\n"));
	}

	String goals() {
		return String.join("\n", Goal.TABLE_HEAD) + "\n" + String.join("\n", this.results.goals());
	}

	/**
	 * Return the Markdown of a picture.
	 * @param toDocs the relative path from the page to the folder of the documentation
	 * @param index the index of the chart
	 */
	String image(String toDocs, int index) {
		String title = this.results.charts().get(index).title().replaceAll("[\\[\\]]", "");
		return "![" + title + "](" + toDocs + "images/performance/" + imageName(index) + ")";
	}

	String imageName(int index) {
		return this.scenario.name() + "-" + (index + 1) + ".svg";
	}

}
