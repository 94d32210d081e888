package io.distributedlock.benchmarks.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The folder that keeps the results of each scenario: its text, its charts and its goals.
 * A later run of a scenario replaces them.
 *
 * @param folder the folder
 */
public record Results(Path folder) {

	/**
	 * Keep the results of a scenario.
	 * @param scenario its name
	 * @param report what it has measured
	 * @throws IOException if they can't be written
	 */
	public void write(String scenario, Report report) throws IOException {
		Path folder = Files.createDirectories(this.folder.resolve(scenario));
		StringBuilder text = new StringBuilder();
		report.tables().forEach((table) -> text.append(table.markdown()).append('\n'));
		Files.writeString(folder.resolve("tables.md"), text.toString().strip() + "\n");
		Files.write(folder.resolve("goals.md"), report.goals().stream().map(Goal::markdown).toList());
		for (int i = 0; i < report.charts().size(); i++) {
			Files.writeString(folder.resolve("chart-" + (i + 1) + ".svg"), report.charts().get(i).svg());
		}
	}

	/**
	 * Return whether a scenario has results.
	 * @param scenario its name
	 * @return whether they are there
	 */
	public boolean has(String scenario) {
		return Files.exists(this.folder.resolve(scenario).resolve("tables.md"));
	}

	public String tables(String scenario) throws IOException {
		return Files.readString(this.folder.resolve(scenario).resolve("tables.md"));
	}

	public List<String> goals(String scenario) throws IOException {
		return Files.readAllLines(this.folder.resolve(scenario).resolve("goals.md"));
	}

	/**
	 * Return the charts of a scenario.
	 * @param scenario its name
	 * @return the files in their order
	 * @throws IOException if the folder can't be read
	 */
	public List<Path> charts(String scenario) throws IOException {
		try (var files = Files.list(this.folder.resolve(scenario))) {
			return files.filter((file) -> file.toString().endsWith(".svg")).sorted().toList();
		}
	}

}
