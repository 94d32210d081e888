package io.distributedlock.benchmarks.scenario;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.HdrHistogram.Histogram;

import io.distributedlock.benchmarks.contest.Address;
import io.distributedlock.benchmarks.contest.Contestant;
import io.distributedlock.benchmarks.contest.Side;
import io.distributedlock.benchmarks.contest.Store;
import io.distributedlock.benchmarks.measure.Comparison;
import io.distributedlock.benchmarks.measure.Load;
import io.distributedlock.benchmarks.measure.PairsLoad;
import io.distributedlock.benchmarks.measure.Rounds;
import io.distributedlock.benchmarks.measure.ServerTime;
import io.distributedlock.benchmarks.report.Chart;
import io.distributedlock.benchmarks.report.Report;
import io.distributedlock.benchmarks.report.Table;

/**
 * The processor time that a lock costs the server, from which follows how many one server
 * carries.
 */
final class ServerCost implements Scenario {

	private static final int THREADS = 8;

	private static final double MICROS_OF_A_SECOND = 1_000_000;

	@Override
	public String name() {
		return "server-cost";
	}

	@Override
	public String title() {
		return "Cost at the server";
	}

	@Override
	public String description() {
		return "Eight threads take and release locks of their own. The processor time of the server's processes is read"
				+ " before and after each round. A store of several servers counts the time of all of them. The last"
				+ " column is how many pairs one core of each server has time for.";
	}

	@Override
	public Report run(Plan plan) throws Exception {
		Table table = Table.of("Processor time of the servers, 8 threads", "", "pairs/s", "µs per pair",
				"µs per pair and server", "pairs per second of a core");
		Chart chart = Chart.of("Pairs for which one core of each server has time, per second");
		for (Store store : plan.stores()) {
			Address address = store.start();
			// The local store has no server.
			if (!address.ports().isEmpty()) {
				plan.progress().accept(store.name());
				measure(plan, store, address, table, chart);
			}
		}
		return new Report().add(table).add(chart);
	}

	private static void measure(Plan plan, Store store, Address address, Table table, Chart chart) throws Exception {
		List<Side> sides = new ArrayList<>();
		try {
			Map<String, Load> loads = new LinkedHashMap<>();
			Map<Contestant, MeteredLoad> meters = new LinkedHashMap<>();
			for (Contestant contestant : store.contestants()) {
				Side side = contestant.open(address);
				sides.add(side);
				MeteredLoad meter = new MeteredLoad(PairsLoad.distinct(side, THREADS), address.ports());
				meters.put(contestant, meter);
				loads.put(contestant.name(), meter);
			}
			Comparison samples = Rounds.run(plan.effort(), loads);
			meters.forEach((contestant, meter) -> {
				double ofOneServer = meter.microsPerPair() / address.ports().size();
				table.row(store.name() + ", " + contestant.name(), Table.number(samples.of(contestant.name()).rate()),
						Table.number(meter.microsPerPair()), Table.number(ofOneServer),
						Table.number(MICROS_OF_A_SECOND / ofOneServer));
				chart.bar(store.name(), contestant.name(), MICROS_OF_A_SECOND / ofOneServer, contestant.work());
			});
		}
		finally {
			sides.forEach(Side::close);
		}
	}

	/**
	 * Adds up what the servers use in each round but the first, which is the warm-up.
	 */
	private static final class MeteredLoad implements Load {

		private final Load load;

		private final List<Integer> ports;

		private boolean warm;

		private Duration used = Duration.ZERO;

		private long pairs;

		MeteredLoad(Load load, List<Integer> ports) {
			this.load = load;
			this.ports = ports;
		}

		@Override
		public double run(Duration duration, Histogram nanos) throws Exception {
			ServerTime before = ServerTime.of(this.ports);
			long pairsBefore = nanos.getTotalCount();
			double rate = this.load.run(duration, nanos);
			if (this.warm) {
				this.used = this.used.plus(ServerTime.of(this.ports).since(before));
				this.pairs += nanos.getTotalCount() - pairsBefore;
			}
			this.warm = true;
			return rate;
		}

		double microsPerPair() {
			return this.used.toNanos() / 1_000.0 / this.pairs;
		}

	}

}
