package io.distributedlock.benchmarks.documentation;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import io.distributedlock.benchmarks.contest.Work;
import io.distributedlock.benchmarks.report.Chart;
import io.distributedlock.benchmarks.report.Goal;
import io.distributedlock.benchmarks.report.MachineData;
import io.distributedlock.benchmarks.report.Measurement;
import io.distributedlock.benchmarks.report.Report;
import io.distributedlock.benchmarks.report.Results;
import io.distributedlock.benchmarks.report.Table;
import io.distributedlock.benchmarks.scenario.Plan;
import io.distributedlock.benchmarks.scenario.Scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

class DocumentationUpdateTests {

	private static final List<Scenario> SCENARIOS = List.of(new NamedScenario("first"), new NamedScenario("second"),
			new NamedScenario("third"));

	@TempDir
	Path folder;

	private Path docs;

	private Results results;

	@BeforeEach
	void createPage() throws IOException {
		this.docs = Files.createDirectories(this.folder.resolve("docs"));
		this.results = new Results(this.folder.resolve("results"));
		Files.writeString(page(), """
				# Performance

				Written by hand: method.

				<!-- measured: machine -->
				<!-- end of measured: machine -->

				<!-- measured: overview -->
				<!-- end of measured: overview -->

				## Scenarios

				<!-- measured: scenarios -->
				<!-- end of measured: scenarios -->

				Written by hand: limits.
				""");
	}

	@Test
	void allPagesAreWritten() throws IOException {
		measure("first", "2026-01-01", 2, goal(0.99), goal(0.5));
		measure("second", "2026-01-02", 1);
		measure("third", "2026-01-03", 1, goal(1));

		List<String> left = update();

		assertThat(left).isEmpty();
		assertThat(Files.readString(page()))
			.contains("| [Title of first](performance/first.md) | 1 of 2 | 2026-01-01 | `abc` |")
			.contains("| [Title of second](performance/second.md) | – | 2026-01-02 | `abc` |")
			.contains("### Title of first\n\n![first 1](images/performance/first-1.svg)")
			.contains("| Redis | of bare | ≥ 0.95 | 0.50 | **no** |")
			.contains("| last measured | 2026-01-03 |")
			.containsSubsequence("### Title of first", "### Title of second", "### Title of third",
					"Written by hand: limits.");
		assertThat(Files.readString(page("first"))).contains("# Title of first", "What first measures.",
				"Measured on 2026-01-01 at commit `abc`: 7 rounds.", "![first 2](../images/performance/first-2.svg)",
				"| bare commands | first |");
		assertThat(images()).containsExactly("first-1.svg", "first-2.svg", "second-1.svg", "third-1.svg");
	}

	@Test
	void partsThatAreWrittenByHandSurvive() throws IOException {
		measure("first", "2026-01-01", 1, goal(0.5));
		update();
		Files.writeString(page("first"), Files.readString(page("first")) + "\nWritten by hand: a limit.\n");
		Files.writeString(page(), Files.readString(page()).replace("## Scenarios", "## Scenarios\n\nBy hand."));

		measure("first", "2026-02-02", 1, goal(0.96));
		update();

		assertThat(Files.readString(page("first"))).contains("2026-02-02", "Written by hand: a limit.")
			.doesNotContain("2026-01-01", "0.50");
		assertThat(Files.readString(page()))
			.contains("Written by hand: method.", "By hand.", "Written by hand: limits.", "0.96")
			.doesNotContain("0.50");
	}

	@Test
	void aSecondUpdateChangesNothing() throws IOException {
		measure("first", "2026-01-01", 1, goal(0.5));
		measure("third", "2026-01-01", 1);
		update();
		Map<Path, String> before = files();

		update();

		assertThat(files()).isEqualTo(before);
	}

	@Test
	void aScenarioWithoutResultsKeepsWhatThePagesHave() throws IOException {
		measure("first", "2026-01-01", 1, goal(0.77));
		update();
		String before = Files.readString(page("first"));
		Results others = new Results(this.folder.resolve("others"));
		measure(others, "third", "2026-03-03", 1);
		measure(others, "second", "2026-03-03", 1);

		List<String> left = new DocumentationUpdate(this.docs, SCENARIOS, others).write();

		assertThat(left).containsExactly("first has no complete results, and its pages stay as they are");
		assertThat(Files.readString(page("first"))).isEqualTo(before);
		assertThat(Files.readString(page()))
			.contains("| [Title of first](performance/first.md) | 0 of 1 | 2026-01-01 | `abc` |", "0.77")
			.containsSubsequence("### Title of first", "### Title of second", "### Title of third");
		assertThat(images()).containsExactly("first-1.svg", "second-1.svg", "third-1.svg");
	}

	@Test
	void withoutResultsNothingChanges() throws IOException {
		measure("first", "2026-01-01", 1, goal(0.77));
		update();
		Map<Path, String> before = files();

		new DocumentationUpdate(this.docs, SCENARIOS, new Results(this.folder.resolve("none"))).write();

		assertThat(files()).isEqualTo(before);
	}

	@Test
	void aPageWithoutMarksKeepsAllPagesFromBeingWritten() throws IOException {
		measure("first", "2026-01-01", 1);
		measure("second", "2026-01-01", 1);
		update();
		Files.writeString(page("second"), "# Title of second\n\nRewritten by hand.\n");
		measure("first", "2026-02-02", 1);
		Map<Path, String> before = files();

		assertThatIllegalStateException().isThrownBy(this::update)
			.withMessageContaining("# Title of second")
			.withMessageContaining("<!-- measured: description -->");

		assertThat(files()).isEqualTo(before);
	}

	@Test
	void chartsThatAreNoLongerDrawnAreDeleted() throws IOException {
		measure("first", "2026-01-01", 12);
		measure("second", "2026-01-01", 2);
		update();

		measure("first", "2026-01-02", 2);
		update();

		assertThat(images()).containsExactly("first-1.svg", "first-2.svg", "second-1.svg", "second-2.svg");
	}

	private List<String> update() throws IOException {
		return new DocumentationUpdate(this.docs, SCENARIOS, this.results).write();
	}

	private void measure(String scenario, String date, int charts, Goal... goals) throws IOException {
		measure(this.results, scenario, date, charts, goals);
	}

	private static void measure(Results results, String scenario, String date, int charts, Goal... goals)
			throws IOException {
		Report report = new Report().add(Table.of("Redis", "", "pairs/s").row("bare commands", scenario));
		for (int i = 1; i <= charts; i++) {
			report.add(Chart.of(scenario + " " + i).bar("", "bare commands", 1, Work.BARE));
		}
		Stream.of(goals).forEach(report::add);
		results.write(scenario, report,
				new Measurement(date, "abc", new Measurement.Setting("7 rounds", List.of(1), List.of("Redis"), true),
						List.of(), 1, new MachineData("2 cores", "24 GiB", "Linux", "17", "Redis 7", "Lettuce 6")));
	}

	private static Goal goal(double measured) {
		return Goal.atLeast("Redis", "of bare", 0.95, measured);
	}

	private Path page() {
		return this.docs.resolve("performance.md");
	}

	private Path page(String scenario) {
		return this.docs.resolve("performance").resolve(scenario + ".md");
	}

	private List<String> images() {
		return files().keySet()
			.stream()
			.map((file) -> file.getFileName().toString())
			.filter((name) -> name.endsWith(".svg"))
			.sorted()
			.toList();
	}

	private Map<Path, String> files() {
		Map<Path, String> texts = new HashMap<>();
		try (Stream<Path> files = Files.walk(this.docs)) {
			for (Path file : files.filter(Files::isRegularFile).toList()) {
				texts.put(file, Files.readString(file));
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		return texts;
	}

	private record NamedScenario(String name) implements Scenario {

		@Override
		public String title() {
			return "Title of " + this.name;
		}

		@Override
		public String description() {
			return "What " + this.name + " measures.";
		}

		@Override
		public Report run(Plan plan) {
			throw new UnsupportedOperationException();
		}

	}

}
