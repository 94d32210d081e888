package io.distributedlock.benchmarks.documentation;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import io.distributedlock.benchmarks.report.MachineData;
import io.distributedlock.benchmarks.report.Measurement;
import io.distributedlock.benchmarks.report.ScenarioResults;
import io.distributedlock.benchmarks.scenario.Scenario;

/**
 * The page about all scenarios: the machine, an overview, and the most important chart
 * and the goals of each scenario.
 *
 * @param scenarios all scenarios in their order, with results or without
 * @param measured the pages of the scenarios with results, by their names
 */
record PerformancePage(List<Scenario> scenarios, Map<String, ScenarioPage> measured) {

	private static final String MACHINE = "machine";

	private static final String OVERVIEW = "overview";

	private static final String SCENARIOS = "scenarios";

	/**
	 * Return the page. What it has of scenarios without results stays.
	 * @param former the page as it is
	 */
	String text(String former) {
		MarkedPage page = new MarkedPage(former).with(SCENARIOS,
				"The page of each scenario has all its charts and tables.");
		page = page.with(OVERVIEW, overview(page.content(OVERVIEW).orElse("")));
		if (!this.measured.isEmpty()) {
			page = page.with(MACHINE, machine());
		}
		String previous = SCENARIOS;
		for (Scenario scenario : this.scenarios) {
			String part = "scenario " + scenario.name();
			ScenarioPage results = this.measured.get(scenario.name());
			boolean isThere = page.content(part).isPresent();
			if (results != null) {
				page = isThere ? page.with(part, section(results)) : page.withAfter(previous, part, section(results));
			}
			previous = (isThere || results != null) ? part : previous;
		}
		return page.text();
	}

	/**
	 * Return the data of the machine that measured last.
	 */
	private String machine() {
		Measurement newest = this.measured.values()
			.stream()
			.map((page) -> page.results().measurement())
			.max(Comparator.comparing(Measurement::date))
			.orElseThrow();
		MachineData machine = newest.machine();
		return """
				| | |
				|---|---|
				| processor | %s |
				| memory | %s |
				| system | %s |
				| JDK | %s |
				| servers | %s |
				| libraries | %s |
				| last measured | %s |
				""".formatted(machine.processor(), machine.memory(), machine.system(), machine.jdk(), machine.servers(),
				machine.libraries(), newest.date());
	}

	private String overview(String former) {
		List<String> lines = new ArrayList<>(
				List.of("| scenario | goals reached | measured on | commit |", "|---|---|---|---|"));
		for (Scenario scenario : this.scenarios) {
			ScenarioPage page = this.measured.get(scenario.name());
			String link = "](performance/" + scenario.name() + ".md)";
			Stream<String> rows = (page != null) ? Stream.of(overviewRow(page.results(), scenario, link))
					: former.lines().filter((line) -> line.contains(link));
			rows.forEach(lines::add);
		}
		return String.join("\n", lines);
	}

	private static String overviewRow(ScenarioResults results, Scenario scenario, String link) {
		String goals = results.goals().isEmpty() ? "–" : results.reached() + " of " + results.goals().size();
		return "| [" + scenario.title() + link + " | " + goals + " | " + results.measurement().date() + " | `"
				+ results.measurement().commit() + "` |";
	}

	private static String section(ScenarioPage page) {
		List<String> parts = new ArrayList<>(List.of("### " + page.scenario().title()));
		if (!page.results().charts().isEmpty()) {
			parts.add(page.image("", 0));
		}
		if (!page.results().goals().isEmpty()) {
			parts.add(page.goals());
		}
		parts.add("[Tables and description](performance/" + page.scenario().name() + ".md)");
		return String.join("\n\n", parts);
	}

}
