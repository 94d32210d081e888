package io.distributedlock.benchmarks.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import io.distributedlock.benchmarks.contest.Work;

import static org.assertj.core.api.Assertions.assertThat;

class ResultsTests {

	@TempDir
	Path folder;

	private Results results;

	@BeforeEach
	void createResults() {
		this.results = new Results(this.folder.resolve("results"));
	}

	@Test
	void whatWasMeasuredIsKept() throws IOException {
		Measurement measurement = measurement(true, 61);
		Report report = new Report().add(Table.of("Redis", "", "pairs/s").row("bare commands", "1"))
			.add(Goal.atLeast("Redis", "of bare", 0.95, 0.97))
			.add(Goal.atLeast("etcd", "of bare", 0.95, 0.5));
		for (int i = 1; i <= 11; i++) {
			report.add(Chart.of("Chart " + i).bar("", "bare commands", 1, Work.BARE));
		}

		this.results.write("keys", report, measurement);

		ScenarioResults kept = this.results.of("keys").orElseThrow();
		assertThat(kept.tables()).isEqualTo(report.tables().get(0).markdown().strip());
		assertThat(kept.goals()).hasSize(2);
		assertThat(kept.reached()).isEqualTo(1);
		assertThat(kept.charts()).extracting(ScenarioResults.Picture::title)
			.hasSize(11)
			.startsWith("Chart 1", "Chart 2")
			.endsWith("Chart 11");
		assertThat(kept.measurement()).isEqualTo(measurement);
	}

	@Test
	void aLaterRunReplacesAllFiles() throws IOException {
		this.results.write("keys", new Report().add(Chart.of("Old")).add(Table.of("Old", "")), measurement(true, 1));

		this.results.write("keys", new Report().add(Table.of("New", "")), measurement(true, 2));

		ScenarioResults kept = this.results.of("keys").orElseThrow();
		assertThat(kept.tables()).contains("New").doesNotContain("Old");
		assertThat(kept.charts()).isEmpty();
	}

	@Test
	void anIncompleteRunDoesNotReplaceACompleteOne() throws IOException {
		this.results.write("keys", new Report().add(Table.of("Complete", "")), measurement(true, 1));

		Path folder = this.results.write("keys", new Report().add(Table.of("Part", "")), measurement(false, 2));

		assertThat(Files.readString(folder.resolve("tables.md"))).contains("Part");
		assertThat(this.results.of("keys").orElseThrow().tables()).contains("Complete");
	}

	@Test
	void aRunWithoutAMissingStoreIsIncomplete() throws IOException {
		Measurement complete = measurement(true, 1);
		Measurement withoutEtcd = new Measurement(complete.date(), complete.commit(), complete.setting(),
				List.of("etcd is left out: no program"), complete.seconds(), complete.machine());

		this.results.write("keys", new Report(), withoutEtcd);

		assertThat(this.results.of("keys")).isEmpty();
	}

	@Test
	void aRunOfTheSameKindSaysHowLongTheNextTakes() throws IOException {
		this.results.write("keys", new Report(), measurement(true, 61));
		this.results.write("keys", new Report(), measurement(false, 7));

		assertThat(this.results.seconds("keys", setting(true))).contains(61L);
		assertThat(this.results.seconds("keys", setting(false))).contains(7L);
		assertThat(this.results.seconds("other", setting(true))).isEmpty();
	}

	@Test
	void thisMachineIsDescribed() {
		MachineData machine = MachineData.ofThisMachine();

		assertThat(machine.processor()).contains("cores");
		assertThat(machine.memory()).matches("\\d+ GiB");
		assertThat(machine.servers()).contains("Redis 7", "PostgreSQL 17", "MariaDB 11", "ZooKeeper 3");
		assertThat(machine.libraries()).contains("Redisson", "ShedLock", "Lettuce");
	}

	private static Measurement.Setting setting(boolean complete) {
		return new Measurement.Setting("7 rounds of 1 s", complete ? List.of(1, 8) : List.of(1),
				List.of("Redis", "Redlock of 5"), complete);
	}

	private static Measurement measurement(boolean complete, long seconds) {
		return new Measurement("2026-01-31", "abc123 with changes", setting(complete), List.of(), seconds,
				new MachineData("2 cores, model: X=1", "24 GiB", "Linux 6.1", "17", "Redis 7", "Lettuce 6"));
	}

}
