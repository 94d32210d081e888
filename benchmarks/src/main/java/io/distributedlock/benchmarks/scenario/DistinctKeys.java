package io.distributedlock.benchmarks.scenario;

import org.HdrHistogram.Histogram;

import io.distributedlock.benchmarks.contest.Contestant;
import io.distributedlock.benchmarks.contest.Side;
import io.distributedlock.benchmarks.contest.Store;
import io.distributedlock.benchmarks.contest.Work;
import io.distributedlock.benchmarks.measure.Comparison;
import io.distributedlock.benchmarks.measure.PairsLoad;
import io.distributedlock.benchmarks.measure.Samples;
import io.distributedlock.benchmarks.report.Chart;
import io.distributedlock.benchmarks.report.Report;
import io.distributedlock.benchmarks.report.Table;

/**
 * Locks without contention: each thread has a key of its own.
 */
final class DistinctKeys implements Scenario {

	private static final int WARM_UP_THREADS = 8;

	@Override
	public String name() {
		return "distinct-keys";
	}

	@Override
	public String title() {
		return "Distinct keys";
	}

	@Override
	public String description() {
		return "Each thread takes a lock of its own and releases it, again and again. The ratio compares with the bare"
				+ " commands by the same driver on the same server. They take and release the lock without waiting,"
				+ " renewal or more than one token.";
	}

	@Override
	public Report run(Plan plan) throws Exception {
		Report report = new Report();
		Chart overview = Chart.of("Distinct keys, " + middle(plan) + " threads: ratio to the bare commands");
		report.add(overview);
		for (Store store : plan.stores()) {
			plan.progress().accept("starting " + store.name());
			try (OpenSides sides = OpenSides.of(store, store.start())) {
				run(plan, store, sides, report, overview);
			}
		}
		return report;
	}

	private void run(Plan plan, Store store, OpenSides sides, Report report, Chart overview) throws Exception {
		Table table = Table.of(store.name(), "", "threads", "pairs/s", "lowest", "highest", "of bare", "p50 µs",
				"p99 µs");
		Chart chart = Chart.of(store.name() + ": acquire and release, pairs per second");
		for (Side side : sides.sides().values()) {
			// The first figures of a JVM would be those of code that is still being
			// compiled.
			PairsLoad.distinct(side, WARM_UP_THREADS).run(plan.effort().warmUp().multipliedBy(2), new Histogram(1));
		}
		for (int threads : plan.threads()) {
			plan.progress().accept(store.name() + ", " + threads + " threads");
			Comparison all = sides.compareDistinctKeys(plan.effort(), threads);
			Samples bare = all.of(Contestant.BARE);
			for (Contestant contestant : sides.contestants()) {
				Samples samples = all.of(contestant.name());
				table.row(contestant.name(), String.valueOf(threads), Table.number(samples.rate()),
						Table.number(samples.lowest()), Table.number(samples.highest()),
						Table.number(samples.ratioTo(bare)), Table.number(samples.micros(50)),
						Table.number(samples.micros(99)));
				if (threads == middle(plan) && contestant.work() != Work.BARE) {
					overview.bar(store.name(), contestant.name(), samples.ratioTo(bare), contestant.work());
				}
				chart.bar(threads + " threads", contestant.name(), samples.rate(), contestant.work());
			}
			DistinctKeysGoals.check(store, threads, all, report);
		}
		report.add(table).add(chart);
	}

	// One chart compares all stores, at the number of threads in the middle.
	private static int middle(Plan plan) {
		return plan.threads().get(plan.threads().size() / 2);
	}

}
