package io.distributedlock.benchmarks.scenario;

import java.util.List;
import java.util.Optional;

import io.distributedlock.benchmarks.contest.Address;
import io.distributedlock.benchmarks.contest.Contestant;
import io.distributedlock.benchmarks.contest.Store;
import io.distributedlock.benchmarks.measure.Comparison;
import io.distributedlock.benchmarks.measure.Samples;
import io.distributedlock.benchmarks.redis.RedisStore;
import io.distributedlock.benchmarks.report.Chart;
import io.distributedlock.benchmarks.report.Goal;
import io.distributedlock.benchmarks.report.Report;
import io.distributedlock.benchmarks.report.Table;

/**
 * The asynchronous API, with many locks of different keys under way.
 */
final class AsynchronousCalls implements Scenario {

	private static final List<Integer> IN_FLIGHT = List.of(128, 512, 1024);

	private static final double OF_BARE = 0.8;

	private static final double RATE = 100_000;

	private static final double P99_MICROS = 10_000;

	@Override
	public String name() {
		return "asynchronous";
	}

	@Override
	public String title() {
		return "Asynchronous calls";
	}

	@Override
	public String description() {
		return "A fixed number of chains take a lock of their own and release it, again and again, without a thread"
				+ " that waits. The bare commands are asynchronous calls of the same driver over one connection.";
	}

	@Override
	public Report run(Plan plan) throws Exception {
		Report report = new Report();
		Optional<Store> store = plan.store(RedisStore.NAME);
		if (store.isPresent()) {
			Address address = store.get().start();
			try (OpenSides sides = OpenSides.of(store.get(), address)) {
				run(plan, sides, report);
			}
		}
		return report;
	}

	private static void run(Plan plan, OpenSides sides, Report report) throws Exception {
		Table table = Table.of("Redis, asynchronous", "", "in flight", "pairs/s", "lowest", "highest", "of bare",
				"p50 µs", "p99 µs");
		Chart chart = Chart.of("Redis: asynchronous acquire and release, pairs per second");
		for (int inFlight : IN_FLIGHT) {
			plan.progress().accept(inFlight + " in flight");
			Comparison all = sides.compareAsynchronous(plan.effort(), inFlight);
			for (Contestant contestant : sides.asynchronous()) {
				Samples samples = all.of(contestant.name());
				table.row(contestant.name(), String.valueOf(inFlight), Table.number(samples.rate()),
						Table.number(samples.lowest()), Table.number(samples.highest()),
						Table.number(samples.ratioTo(all.of(Contestant.BARE))), Table.number(samples.micros(50)),
						Table.number(samples.micros(99)));
				chart.bar(inFlight + " in flight", contestant.name(), samples.rate(), contestant.work());
			}
			check(inFlight, all.of(Contestant.SUBJECT), all.of(Contestant.BARE), report);
		}
		report.add(table).add(chart);
	}

	/**
	 * Where the machine is fast enough, the goal is a rate, and a fraction of the bare
	 * commands elsewhere.
	 */
	private static void check(int inFlight, Samples subject, Samples bare, Report report) {
		String what = "Redis asynchronous, " + inFlight + " in flight";
		if (bare.rate() >= RATE && bare.micros(99) < P99_MICROS) {
			report.add(Goal.atLeast(what, "acquisitions per second", RATE, subject.rate()));
			report.add(Goal.atMost(what, "p99 in µs", P99_MICROS, subject.micros(99)));
		}
		else {
			report.add(Goal.atLeast(what, "of the bare commands", OF_BARE, subject.ratioTo(bare)));
		}
	}

}
