package io.distributedlock.benchmarks;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import io.distributedlock.benchmarks.report.Report;
import io.distributedlock.benchmarks.report.Table;
import io.distributedlock.benchmarks.scenario.Plan;
import io.distributedlock.benchmarks.scenario.Scenario;

import static org.assertj.core.api.Assertions.assertThat;

class ScenarioRunTests {

	@TempDir
	Path folder;

	private final List<String> lines = new ArrayList<>();

	@Test
	void aScenarioThatFailsDoesNotKeepTheOthersFromRunning() throws IOException {
		int exitCode = run(new SettableScenario("broken", true), new SettableScenario("sound", false));

		assertThat(exitCode).isEqualTo(1);
		assertThat(this.lines)
			.anyMatch((line) -> line.startsWith("== broken failed: ") && line.contains("caused by")
					&& line.endsWith("no server"))
			.anyMatch((line) -> line.startsWith("== scenarios: 2, failures: 1, time: "));
		assertThat(this.folder.resolve("incomplete/sound/measured.properties")).content()
			.contains("commit=abc", "effort=1 round", "complete=false");
		assertThat(this.folder.resolve("incomplete/broken")).doesNotExist();
	}

	@Test
	void aRunWithoutFailuresEndsWithZero() throws IOException {
		assertThat(run(new SettableScenario("sound", false))).isZero();
	}

	private int run(Scenario... scenarios) throws IOException {
		Arguments arguments = Arguments.parse(Path.of(".."), "all", "--trial", "--results=" + this.folder);
		return new ScenarioRun(arguments, List.of(scenarios), "abc", this.lines::add).run();
	}

	private record SettableScenario(String name, boolean fails) implements Scenario {

		@Override
		public String title() {
			return this.name;
		}

		@Override
		public String description() {
			return this.name;
		}

		@Override
		public Report run(Plan plan) {
			if (this.fails) {
				throw new IllegalStateException("A pair failed", new IOException("no server"));
			}
			return new Report().add(Table.of("Redis", "", "pairs/s").row("bare commands", "1"));
		}

	}

}
