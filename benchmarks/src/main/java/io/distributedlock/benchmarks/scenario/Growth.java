package io.distributedlock.benchmarks.scenario;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.benchmarks.contest.Contestant;
import io.distributedlock.benchmarks.contest.Store;
import io.distributedlock.benchmarks.contest.SubjectSide;
import io.distributedlock.benchmarks.contest.Work;
import io.distributedlock.benchmarks.measure.PairsLoad;
import io.distributedlock.benchmarks.measure.Rounds;
import io.distributedlock.benchmarks.measure.Samples;
import io.distributedlock.benchmarks.report.Chart;
import io.distributedlock.benchmarks.report.Goal;
import io.distributedlock.benchmarks.report.Report;
import io.distributedlock.benchmarks.report.Table;

/**
 * One thread with a key of its own, while others wait for another key, and after many
 * other keys were used.
 */
final class Growth implements Scenario {

	private static final List<Integer> WAITERS = List.of(1, 10, 100, 1_000);

	private static final List<Integer> KEYS = List.of(10, 1_000, 100_000);

	private static final double OF_SMALLEST = 0.8;

	private static final Duration PATIENCE = Duration.ofMinutes(10);

	private static final int IN_FLIGHT = 128;

	/**
	 * How much longer than a round other keys may be used before the next figure.
	 */
	private static final int ROUNDS_TO_FILL = 40;

	@Override
	public String name() {
		return "growth";
	}

	@Override
	public String title() {
		return "Growth";
	}

	@Override
	public String description() {
		return "One thread takes a lock of its own and releases it, again and again, while others of the same JVM wait"
				+ " for another key. Then it does so after other keys were locked and released, with what a release"
				+ " leaves at the store. A slow store stops before the last number of keys.";
	}

	@Override
	public Report run(Plan plan) throws Exception {
		Report report = new Report();
		for (Store store : plan.stores()) {
			plan.progress().accept("starting " + store.name());
			try (SubjectSide side = (SubjectSide) store.contestant(Contestant.SUBJECT).open(store.start())) {
				run(plan, store.name(), side, report);
			}
		}
		return report;
	}

	private static void run(Plan plan, String store, SubjectSide side, Report report) throws Exception {
		Table table = Table.of(store + ", growth", "", "number", "pairs/s", "of smallest", "p50 µs", "p99 µs");
		Chart chart = Chart.of(store + ": acquire and release by one thread, pairs per second");
		// The first figure must not be that of a cold JVM.
		Rounds.run(plan.effort(), Map.of(store, PairsLoad.distinct(side, 2)));
		Steps waiters = new Steps(plan, store, "waiters", table, chart, new ArrayList<>());
		waitFor(side.template(), waiters, side);
		waiters.check(report);
		Steps keys = new Steps(plan, store, "other keys", table, chart, new ArrayList<>());
		long most = plan.effort().round().multipliedBy(ROUNDS_TO_FILL).toNanos();
		int used = 0;
		for (int number : KEYS) {
			used += use(side.template(), used, number, System.nanoTime() + most);
			keys.measure(used, side);
		}
		keys.check(report);
		report.add(table).add(chart);
	}

	private static void waitFor(LockTemplate template, Steps steps, SubjectSide side) throws Exception {
		List<CompletionStage<Lease>> waiting = new ArrayList<>();
		Lease held = template.acquire("growth-held");
		try {
			for (int number : WAITERS) {
				while (waiting.size() < number) {
					waiting.add(template.acquireAsync(LockRequest.of("growth-held").waitTime(PATIENCE)));
				}
				steps.measure(number, side);
			}
		}
		finally {
			waiting.forEach((lease) -> lease.toCompletableFuture().cancel(false));
			held.release();
		}
	}

	/**
	 * Lock and release keys until there are as many as wanted, or the time is over.
	 * @return how many were added
	 */
	private static int use(LockTemplate template, int used, int wanted, long end) throws Exception {
		Semaphore free = new Semaphore(IN_FLIGHT);
		AtomicInteger failed = new AtomicInteger();
		int added = 0;
		while (used + added < wanted && System.nanoTime() - end < 0) {
			free.acquire();
			template.acquireAsync("growth-" + (used + added))
				.thenCompose(Lease::releaseAsync)
				.whenComplete((released, fault) -> {
					failed.addAndGet((fault != null) ? 1 : 0);
					free.release();
				});
			added++;
		}
		free.acquire(IN_FLIGHT);
		if (failed.get() > 0) {
			throw new IllegalStateException(failed + " keys could not be locked");
		}
		return added;
	}

	/**
	 * The figures for growing numbers of one kind.
	 *
	 * @param plan how to measure
	 * @param store the name of the store
	 * @param what what grows
	 * @param table receives a row for each figure
	 * @param chart receives a bar for each figure
	 * @param rates the rates so far
	 */
	private record Steps(Plan plan, String store, String what, Table table, Chart chart, List<Double> rates) {

		void measure(int number, SubjectSide side) throws Exception {
			this.plan.progress().accept(this.store + ", " + number + " " + this.what);
			Samples samples = Rounds.run(this.plan.effort(), Map.of(this.what, PairsLoad.distinct(side, 1)))
				.of(this.what);
			this.rates.add(samples.rate());
			this.table.row(this.what, String.valueOf(number), Table.number(samples.rate()),
					Table.number(samples.rate() / this.rates.get(0)), Table.number(samples.micros(50)),
					Table.number(samples.micros(99)));
			this.chart.bar(this.what, String.valueOf(number), samples.rate(), Work.SUBJECT);
		}

		void check(Report report) {
			double least = this.rates.stream().min(Double::compare).orElseThrow();
			report.add(Goal.atLeast(this.store + ", growing number of " + this.what, "of the smallest number",
					OF_SMALLEST, least / this.rates.get(0)));
		}

	}

}
