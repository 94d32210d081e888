package io.distributedlock.benchmarks.scenario;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import org.HdrHistogram.Histogram;

import io.distributedlock.benchmarks.contest.Contestant;
import io.distributedlock.benchmarks.contest.Store;
import io.distributedlock.benchmarks.measure.ByName;
import io.distributedlock.benchmarks.measure.Comparison;
import io.distributedlock.benchmarks.measure.Effort;
import io.distributedlock.benchmarks.measure.Samples;
import io.distributedlock.benchmarks.process.SideProcess;
import io.distributedlock.benchmarks.report.Chart;
import io.distributedlock.benchmarks.report.Goal;
import io.distributedlock.benchmarks.report.Report;
import io.distributedlock.benchmarks.report.Table;

/**
 * How often several JVMs take the same lock, and how evenly they share it.
 */
final class JvmShares {

	/**
	 * The number of threads of each JVM.
	 */
	static final int THREADS = 8;

	private static final String KEY = "hot";

	private static final int TIMES_BEST_PEER = 5;

	// A lease may stay in a JVM for a tenth of a second, so short rounds say nothing
	// about shares.
	private static final double LENGTHENED = 1.5;

	private static final long AHEAD = TimeUnit.MILLISECONDS.toNanos(20);

	private final Plan plan;

	private final Effort effort;

	private final Store store;

	private final List<Contestant> contestants;

	private final Table table;

	private final Chart chart;

	JvmShares(Plan plan, Store store, List<Contestant> contestants) {
		this.plan = plan;
		this.effort = effort(plan.effort());
		this.store = store;
		this.contestants = contestants;
		this.table = Table.of(store.name(), "", "JVMs", "grants/s", "lowest", "highest", "smallest share",
				"largest share", "failed");
		this.chart = Chart.of(store.name() + ": one key, " + THREADS + " threads in each JVM, grants per second");
	}

	/**
	 * Return how long the shares are measured.
	 * @param effort the effort of the run
	 */
	static Effort effort(Effort effort) {
		return new Effort(effort.warmUp().dividedBy(2),
				Duration.ofNanos((long) (LENGTHENED * effort.round().toNanos())), Math.max(1, effort.rounds() / 3));
	}

	void measure(List<SideProcess> jvms, Report report) throws InterruptedException {
		for (int count = 2; count <= jvms.size(); count += 2) {
			this.plan.progress().accept(this.store.name() + ", " + count + " JVMs");
			measureSome(jvms.subList(0, count), report);
		}
		report.add(this.table).add(this.chart);
	}

	private void measureSome(List<SideProcess> jvms, Report report) throws InterruptedException {
		ByName<long[]> grants = new ByName<>();
		Map<String, Samples> samples = new LinkedHashMap<>();
		Comparison all = new Comparison(samples);
		long[] faults = new long[this.contestants.size()];
		for (Contestant contestant : this.contestants) {
			round(contestant, jvms, this.effort.warmUp().toNanos());
			grants.put(contestant.name(), new long[jvms.size()]);
			samples.put(contestant.name(), new Samples(contestant.name(), new ArrayList<>(), new Histogram(3)));
		}
		long nanos = this.effort.round().toNanos();
		for (int round = 0; round < this.effort.rounds(); round++) {
			for (int i = 0; i < this.contestants.size(); i++) {
				String name = this.contestants.get(i).name();
				List<long[]> counts = round(this.contestants.get(i), jvms, nanos);
				long sum = 0;
				for (int jvm = 0; jvm < counts.size(); jvm++) {
					grants.of(name)[jvm] += counts.get(jvm)[0];
					sum += counts.get(jvm)[0];
					faults[i] += counts.get(jvm)[1];
				}
				all.of(name).rates().add(sum * (double) TimeUnit.SECONDS.toNanos(1) / nanos);
			}
		}
		for (int i = 0; i < this.contestants.size(); i++) {
			Contestant contestant = this.contestants.get(i);
			addRow(contestant, all.of(contestant.name()), grants.of(contestant.name()), faults[i]);
		}
		addGoals(all, grants.of(Contestant.SUBJECT), report);
	}

	private static List<long[]> round(Contestant contestant, List<SideProcess> jvms, long nanos)
			throws InterruptedException {
		long start = System.nanoTime() + AHEAD;
		for (SideProcess jvm : jvms) {
			jvm.send("pairs", contestant.name(), KEY, THREADS, start, start + nanos);
		}
		List<long[]> counts = new ArrayList<>();
		for (SideProcess jvm : jvms) {
			counts.add(jvm.receive());
		}
		return counts;
	}

	private void addRow(Contestant contestant, Samples samples, long[] grants, long faults) {
		this.table.row(contestant.name(), String.valueOf(grants.length), Table.number(samples.rate()),
				Table.number(samples.lowest()), Table.number(samples.highest()), Table.number(smallest(grants)),
				Table.number(largest(grants)), String.valueOf(faults));
		this.chart.bar(grants.length + " JVMs", contestant.name(), samples.rate(), contestant.work());
	}

	private void addGoals(Comparison all, long[] grants, Report report) {
		String what = this.store.name() + ", one key, " + grants.length + " JVMs";
		boolean two = (grants.length == 2);
		report.add(Goal.atLeast(what, "smallest share of a JVM", two ? 0.4 : 0.15, smallest(grants)));
		report.add(Goal.atMost(what, "largest share of a JVM", two ? 0.6 : 0.35, largest(grants)));
		if (!two) {
			this.contestants.stream()
				.filter((contestant) -> !contestant.name().equals(Contestant.SUBJECT))
				.mapToDouble((peer) -> all.of(Contestant.SUBJECT).ratioTo(all.of(peer.name())))
				.min()
				.ifPresent((ratio) -> report
					.add(Goal.atLeast(what, "times the best other library", TIMES_BEST_PEER, ratio)));
		}
	}

	private static double smallest(long[] grants) {
		return Arrays.stream(grants).min().orElse(0) / (double) Math.max(1, Arrays.stream(grants).sum());
	}

	private static double largest(long[] grants) {
		return Arrays.stream(grants).max().orElse(0) / (double) Math.max(1, Arrays.stream(grants).sum());
	}

}
