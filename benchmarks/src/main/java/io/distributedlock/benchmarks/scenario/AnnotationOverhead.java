package io.distributedlock.benchmarks.scenario;

import java.util.Objects;

import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

import io.distributedlock.benchmarks.contest.Work;
import io.distributedlock.benchmarks.local.AnnotationBenchmark;
import io.distributedlock.benchmarks.local.LocalLocks;
import io.distributedlock.benchmarks.measure.ByName;
import io.distributedlock.benchmarks.measure.Effort;
import io.distributedlock.benchmarks.report.Chart;
import io.distributedlock.benchmarks.report.Goal;
import io.distributedlock.benchmarks.report.Report;
import io.distributedlock.benchmarks.report.Table;

/**
 * What the annotation costs beyond the lock.
 */
final class AnnotationOverhead implements Scenario {

	private static final double MOST_NANOS = 1_000;

	private static final int WARM_UPS = 3;

	@Override
	public String name() {
		return "annotation";
	}

	@Override
	public String title() {
		return "The annotation itself";
	}

	@Override
	public String description() {
		return "A method that does nothing, called by one thread: without a lock, inside of"
				+ " `LockTemplate.executeWithoutResult`, without and with a registry of meters, and through the proxy of `@DistributedLock(key = \"#id\")`. The"
				+ " store is `local`, so that nothing but the library's own code counts.";
	}

	@Override
	public String extent(Effort effort) {
		return new Effort(effort.warmUp().multipliedBy(WARM_UPS), effort.round(), rounds(effort)).text();
	}

	@Override
	public Report run(Plan plan) throws Exception {
		Report report = new Report();
		if (plan.store(LocalLocks.NAME).isEmpty()) {
			return report;
		}
		plan.progress().accept("calls of an annotated method");
		ByName<RunResult> results = measure(plan.effort());
		RunResult template = results.of("template");
		RunResult annotated = results.of("annotated");
		Table table = Table.of("local, one thread", "", "ns per call", "± ns", "bytes per call");
		Chart chart = Chart.of("local: one call, nanoseconds");
		add("without a lock", results.of("plain"), table, chart);
		add("`LockTemplate`", template, table, chart);
		add("`LockTemplate`, observed by Micrometer", results.of("observed"), table, chart);
		add("`@DistributedLock`", annotated, table, chart);
		double extra = annotated.getPrimaryResult().getScore() - template.getPrimaryResult().getScore();
		return report.add(table)
			.add(chart)
			.add(Goal.atMost("annotation, local", "ns beyond `LockTemplate`", MOST_NANOS, extra));
	}

	private static void add(String name, RunResult result, Table table, Chart chart) {
		double nanos = result.getPrimaryResult().getScore();
		table.row(name, Table.number(nanos), Table.number(result.getPrimaryResult().getScoreError()), Table
			.number(Objects.requireNonNull(result.getSecondaryResults().get("gc.alloc.rate.norm")).getScore()));
		chart.bar("one thread", name.replace("`", ""), nanos, Work.SUBJECT);
	}

	private static int rounds(Effort effort) {
		return Math.max(2, effort.rounds());
	}

	/**
	 * Return the result of each method of the benchmark by its name.
	 */
	private static ByName<RunResult> measure(Effort effort) throws Exception {
		ChainedOptionsBuilder options = new OptionsBuilder().include(AnnotationBenchmark.class.getName() + ".*")
			.forks(effort.equals(Effort.TRIAL) ? 0 : 1)
			.warmupIterations(WARM_UPS)
			.warmupTime(TimeValue.milliseconds(effort.warmUp().toMillis()))
			.measurementIterations(rounds(effort))
			.measurementTime(TimeValue.milliseconds(effort.round().toMillis()))
			.addProfiler(GCProfiler.class)
			.verbosity(VerboseMode.SILENT);
		ByName<RunResult> results = new ByName<>();
		for (RunResult result : new Runner(options.build()).run()) {
			results.put(result.getPrimaryResult().getLabel(), result);
		}
		return results;
	}

}
