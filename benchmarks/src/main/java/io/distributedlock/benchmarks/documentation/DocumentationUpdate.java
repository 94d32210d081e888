package io.distributedlock.benchmarks.documentation;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

import io.distributedlock.benchmarks.report.Results;
import io.distributedlock.benchmarks.report.ScenarioResults;
import io.distributedlock.benchmarks.scenario.Scenario;

/**
 * Writes the pages about performance from all results that are complete. All pages are
 * prepared before the first is written, so that a fault leaves them as they are.
 *
 * @param docs the folder of the documentation
 * @param scenarios all scenarios
 * @param results the results
 */
public record DocumentationUpdate(Path docs, List<Scenario> scenarios, Results results) {

	/**
	 * Write the pages.
	 * @return a line for each scenario whose pages stay as they are, with the reason
	 * @throws IOException if results can't be read or pages can't be written
	 * @throws IllegalStateException if a page lacks the marks of a measured part
	 */
	public List<String> write() throws IOException {
		List<String> left = new ArrayList<>();
		Map<String, ScenarioPage> pages = new LinkedHashMap<>();
		for (Scenario scenario : this.scenarios) {
			Optional<ScenarioResults> found = this.results.of(scenario.name());
			if (found.isPresent()) {
				pages.put(scenario.name(), new ScenarioPage(scenario, found.get()));
			}
			else {
				left.add(scenario.name() + " has no complete results, and its pages stay as they are");
			}
		}
		Map<Path, String> files = prepare(pages);
		for (Map.Entry<Path, String> file : files.entrySet()) {
			replace(file.getKey(), file.getValue());
		}
		for (ScenarioPage page : pages.values()) {
			deleteSurplusImages(page);
		}
		return left;
	}

	private Map<Path, String> prepare(Map<String, ScenarioPage> pages) throws IOException {
		Map<Path, String> files = new LinkedHashMap<>();
		for (ScenarioPage page : pages.values()) {
			for (int i = 0; i < page.results().charts().size(); i++) {
				files.put(images().resolve(page.imageName(i)), page.results().charts().get(i).svg());
			}
			Path file = this.docs.resolve("performance").resolve(page.scenario().name() + ".md");
			files.put(file, page.text(Files.exists(file) ? Optional.of(Files.readString(file)) : Optional.empty()));
		}
		Path overview = this.docs.resolve("performance.md");
		files.put(overview, new PerformancePage(this.scenarios, pages).text(Files.readString(overview)));
		return files;
	}

	private Path images() {
		return this.docs.resolve("images").resolve("performance");
	}

	private static void replace(Path file, String text) throws IOException {
		Files.createDirectories(file.getParent());
		Path fresh = file.resolveSibling(file.getFileName() + ".new");
		Files.writeString(fresh, text);
		Files.move(fresh, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
	}

	private void deleteSurplusImages(ScenarioPage page) throws IOException {
		if (!Files.exists(images())) {
			return;
		}
		int count = page.results().charts().size();
		String name = page.scenario().name() + "-(\\d+)\\.svg";
		List<Path> surplus;
		try (Stream<Path> files = Files.list(images())) {
			surplus = files.filter((file) -> file.getFileName().toString().matches(name))
				.filter((file) -> Integer.parseInt(file.getFileName().toString().replaceAll(name, "$1")) > count)
				.toList();
		}
		for (Path file : surplus) {
			Files.delete(file);
		}
	}

}
