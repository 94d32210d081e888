package io.distributedlock.benchmarks.scenario;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

import io.distributedlock.benchmarks.contest.Address;
import io.distributedlock.benchmarks.contest.Contestant;
import io.distributedlock.benchmarks.contest.Side;
import io.distributedlock.benchmarks.contest.Store;
import io.distributedlock.benchmarks.contest.Work;
import io.distributedlock.benchmarks.local.FairLocks;
import io.distributedlock.benchmarks.measure.ByName;
import io.distributedlock.benchmarks.measure.Comparison;
import io.distributedlock.benchmarks.measure.Load;
import io.distributedlock.benchmarks.measure.PairsLoad;
import io.distributedlock.benchmarks.measure.Rounds;
import io.distributedlock.benchmarks.measure.Samples;
import io.distributedlock.benchmarks.report.Chart;
import io.distributedlock.benchmarks.report.Goal;
import io.distributedlock.benchmarks.report.Report;
import io.distributedlock.benchmarks.report.Table;

/**
 * One lock that all threads of a JVM want.
 */
final class HotKey implements Scenario {

	private static final int THREADS = 8;

	private static final double TIMES_BEST_PEER = 20;

	private static final double MOST_DEVIATION = 0.05;

	private static final String REFERENCE = "fair ReentrantLock, no store";

	@Override
	public String name() {
		return "hot-key";
	}

	@Override
	public String title() {
		return "One hot key in one JVM";
	}

	@Override
	public String description() {
		return THREADS
				+ " threads of one JVM take the same lock and release it, again and again. The bare commands take no"
				+ " part, since they do not wait. A fair `ReentrantLock` shows what a hand-over from thread to thread"
				+ " costs on the machine, without any store. The unevenness is the difference between the threads with"
				+ " the most and the fewest locks in a round, as a share of their mean; the largest of all rounds.";
	}

	@Override
	public Report run(Plan plan) throws Exception {
		Report report = new Report();
		for (Store store : plan.stores()) {
			plan.progress().accept("starting " + store.name());
			Address address = store.start();
			Map<String, Side> sides = new LinkedHashMap<>();
			try {
				for (Contestant contestant : store.contestants()) {
					if (contestant.work() != Work.BARE) {
						sides.put(contestant.name(), contestant.open(address));
					}
				}
				sides.put(REFERENCE, new FairLocks());
				run(plan, store, sides, report);
			}
			finally {
				sides.values().forEach(Side::close);
			}
		}
		return report;
	}

	private void run(Plan plan, Store store, Map<String, Side> sides, Report report) throws Exception {
		plan.progress().accept(store.name() + ", one key");
		ByName<Shares> shares = new ByName<>();
		Map<String, Load> loads = new LinkedHashMap<>();
		sides.forEach((name, side) -> {
			Shares taken = new Shares();
			shares.put(name, taken);
			loads.put(name, PairsLoad.hot(side, THREADS).withShares(taken::add));
		});
		Comparison all = Rounds.run(plan.effort(), loads);
		Table table = Table.of(store.name(), "", "pairs/s", "lowest", "highest", "p50 µs", "p99 µs", "unevenness");
		Chart chart = Chart.of(store.name() + ": one key, " + THREADS + " threads, pairs per second");
		sides.keySet().forEach((name) -> {
			Samples samples = all.of(name);
			table.row(name, Table.number(samples.rate()), Table.number(samples.lowest()),
					Table.number(samples.highest()), Table.number(samples.micros(50)), Table.number(samples.micros(99)),
					Table.number(shares.of(name).deviation()));
			chart.bar(THREADS + " threads", name, samples.rate(),
					name.equals(REFERENCE) ? Work.BARE : store.contestant(name).work());
		});
		report.add(table).add(chart);
		addGoals(store, all, shares.of(Contestant.SUBJECT).deviation(), report);
	}

	private void addGoals(Store store, Comparison all, double deviation, Report report) {
		Samples subject = all.of(Contestant.SUBJECT);
		store.contestants()
			.stream()
			.filter((contestant) -> contestant.work() == Work.SAME || contestant.work() == Work.LESS)
			.mapToDouble((peer) -> subject.ratioTo(all.of(peer.name())))
			.min()
			.ifPresent((ratio) -> report.add(Goal.atLeast(store.name() + ", one key, " + THREADS + " threads",
					"times the best other library", TIMES_BEST_PEER, ratio)));
		report.add(Goal.atMost(store.name() + ", one key, " + THREADS + " threads",
				"unevenness, first come first served", MOST_DEVIATION, deviation));
	}

	/**
	 * How evenly the locks were shared among the threads. The first round only warms up.
	 */
	private static final class Shares {

		private int rounds;

		private double deviation;

		void add(long[] pairs) {
			if (this.rounds++ > 0) {
				long least = Arrays.stream(pairs).min().orElse(0);
				long most = Arrays.stream(pairs).max().orElse(0);
				double mean = Arrays.stream(pairs).average().orElse(0);
				this.deviation = Math.max(this.deviation, (most - least) / Math.max(1, mean));
			}
		}

		double deviation() {
			return this.deviation;
		}

	}

}
