package io.distributedlock.benchmarks.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.springframework.util.FileSystemUtils;

/**
 * The folder that keeps the results of each scenario: its text, its charts, its goals,
 * and how it was measured. A later run of a scenario replaces them. Results of a run that
 * left something out are kept apart, so that they do not replace complete ones.
 *
 * @param folder the folder
 */
public record Results(Path folder) {

	private static final String TABLES = "tables.md";

	private static final String GOALS = "goals.md";

	private static final String MEASURED = "measured.properties";

	private static final String INCOMPLETE = "incomplete";

	private static final Pattern CHART = Pattern.compile("chart-(\\d+)\\.svg");

	private static final Pattern TITLE = Pattern.compile("<title[^>]*>([^<]*)</title>");

	/**
	 * Keep the results of a scenario. They replace earlier ones as a whole.
	 * @param scenario its name
	 * @param report what it has measured
	 * @param measurement how it was measured
	 * @return the folder with the results
	 * @throws IOException if they can't be written
	 */
	public Path write(String scenario, Report report, Measurement measurement) throws IOException {
		Path target = folder(scenario, measurement.isComplete());
		Path fresh = target.resolveSibling("." + scenario + ".new");
		FileSystemUtils.deleteRecursively(fresh);
		Files.createDirectories(fresh);
		StringBuilder text = new StringBuilder();
		report.tables().forEach((table) -> text.append(table.markdown()).append('\n'));
		Files.writeString(fresh.resolve(TABLES), text.toString().strip() + "\n");
		Files.write(fresh.resolve(GOALS), report.goals().stream().map(Goal::markdown).toList());
		List<String> charts = report.charts().stream().flatMap((chart) -> chart.svgs().stream()).toList();
		for (int i = 0; i < charts.size(); i++) {
			Files.writeString(fresh.resolve("chart-" + (i + 1) + ".svg"), charts.get(i));
		}
		measurement.write(fresh.resolve(MEASURED));
		FileSystemUtils.deleteRecursively(target);
		Files.move(fresh, target);
		return target;
	}

	private Path folder(String scenario, boolean complete) {
		return complete ? this.folder.resolve(scenario) : this.folder.resolve(INCOMPLETE).resolve(scenario);
	}

	/**
	 * Return the complete results of a scenario.
	 * @param scenario its name
	 * @return the results; empty if it was not measured, or only in part
	 * @throws IOException if they can't be read
	 */
	public Optional<ScenarioResults> of(String scenario) throws IOException {
		Path folder = folder(scenario, true);
		if (!Files.exists(folder.resolve(MEASURED))) {
			return Optional.empty();
		}
		return Optional.of(new ScenarioResults(Files.readString(folder.resolve(TABLES)).strip(),
				Files.readAllLines(folder.resolve(GOALS)), charts(folder), Measurement.read(folder.resolve(MEASURED))));
	}

	private static List<ScenarioResults.Picture> charts(Path folder) throws IOException {
		List<Path> files;
		try (Stream<Path> all = Files.list(folder)) {
			files = all.filter((file) -> CHART.matcher(file.getFileName().toString()).matches())
				.sorted(Comparator.comparingInt(Results::number))
				.toList();
		}
		List<ScenarioResults.Picture> charts = new ArrayList<>();
		for (Path file : files) {
			String svg = Files.readString(file);
			Matcher title = TITLE.matcher(svg);
			charts.add(new ScenarioResults.Picture(title.find() ? title.group(1) : "", svg));
		}
		return charts;
	}

	private static int number(Path chart) {
		return Integer.parseInt(CHART.matcher(chart.getFileName().toString()).replaceAll("$1"));
	}

	/**
	 * Return how long a scenario took when it was last measured in a way.
	 * @param scenario its name
	 * @param setting the way
	 * @return the seconds; empty if that never happened
	 * @throws IOException if the results can't be read
	 */
	public Optional<Long> seconds(String scenario, Measurement.Setting setting) throws IOException {
		for (boolean complete : List.of(true, false)) {
			Path file = folder(scenario, complete).resolve(MEASURED);
			if (Files.exists(file)) {
				Measurement last = Measurement.read(file);
				if (last.setting().isLike(setting)) {
					return Optional.of(last.seconds());
				}
			}
		}
		return Optional.empty();
	}

}
