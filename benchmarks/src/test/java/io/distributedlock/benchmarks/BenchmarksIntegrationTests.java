package io.distributedlock.benchmarks;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.List;

import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import io.distributedlock.benchmarks.contest.Store;
import io.distributedlock.benchmarks.documentation.DocumentationUpdate;
import io.distributedlock.benchmarks.measure.Effort;
import io.distributedlock.benchmarks.report.MachineData;
import io.distributedlock.benchmarks.report.Measurement;
import io.distributedlock.benchmarks.report.Report;
import io.distributedlock.benchmarks.report.Results;
import io.distributedlock.benchmarks.scenario.Plan;
import io.distributedlock.benchmarks.scenario.Scenario;
import io.distributedlock.benchmarks.scenario.Scenarios;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Runs every scenario on every store that this machine has, so briefly that its figures
 * say nothing, and writes its pages.
 */
class BenchmarksIntegrationTests {

	private static final List<Integer> THREADS = List.of(1, 2);

	@TempDir
	Path folder;

	static List<Scenario> scenarios() {
		return Scenarios.all();
	}

	@ParameterizedTest
	@MethodSource("scenarios")
	void everyScenarioRunsAndFillsItsPage(Scenario scenario) throws Exception {
		List<Store> stores = stores();

		Report report = scenario.run(new Plan(Effort.TRIAL, THREADS, stores, System.out::println));

		assertThat(report.tables()).isNotEmpty().allSatisfy((table) -> assertThat(table.rows()).isNotEmpty());
		Path docs = Files.createDirectories(this.folder.resolve("docs"));
		Files.copy(Path.of("../docs/performance.md"), docs.resolve("performance.md"));
		Results results = new Results(this.folder.resolve("results"));
		results.write(scenario.name(), report, measurement());
		new DocumentationUpdate(docs, List.of(scenario), results).write();
		assertThat(docs.resolve("performance").resolve(scenario.name() + ".md")).content()
			.contains(report.tables().get(0).markdown());
		assertThat(docs.resolve("performance.md")).content().contains("performance/" + scenario.name() + ".md");
	}

	private static List<Store> stores() {
		List<Store> stores = Stores.all().stream().filter((store) -> store.missing().isEmpty()).toList();
		if ("true".equals(System.getenv("CI"))) {
			assertThat(stores).as("with CI=true all stores have to run").isEqualTo(Stores.all());
		}
		return stores;
	}

	private static Measurement measurement() {
		Measurement.Setting setting = new Measurement.Setting(Effort.TRIAL.text(), THREADS, List.of(), true);
		return new Measurement(LocalDate.now().toString(), "none", setting, List.of(), 0, MachineData.ofThisMachine());
	}

}
