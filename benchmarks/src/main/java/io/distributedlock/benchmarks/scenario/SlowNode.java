package io.distributedlock.benchmarks.scenario;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.distributedlock.benchmarks.contest.Address;
import io.distributedlock.benchmarks.contest.Contestant;
import io.distributedlock.benchmarks.measure.Comparison;
import io.distributedlock.benchmarks.measure.Samples;
import io.distributedlock.benchmarks.redlock.RedlockStore;
import io.distributedlock.benchmarks.report.Chart;
import io.distributedlock.benchmarks.report.Report;
import io.distributedlock.benchmarks.report.Table;
import io.distributedlock.it.net.TcpProxy;

/**
 * Locks on five nodes, one of which is far away.
 */
final class SlowNode implements Scenario {

	private static final Duration DELAY = Duration.ofMillis(50);

	private static final List<Integer> THREADS = List.of(1, 8);

	@Override
	public String name() {
		return "slow-node";
	}

	@Override
	public String title() {
		return "Redlock with a slow node";
	}

	@Override
	public String description() {
		return "Locks on five nodes, one of which answers " + DELAY.toMillis() + " ms late. Each thread takes a lock of"
				+ " its own and releases it, again and again. The bare commands are scripts, sent to all nodes at once;"
				+ " they wait for the answers of a majority.";
	}

	@Override
	public Report run(Plan plan) throws Exception {
		RedlockStore store = new RedlockStore(5);
		plan.progress().accept("starting " + store.name() + " with a slow node");
		List<Integer> ports = new ArrayList<>(store.startOthers().ports());
		try (TcpProxy proxy = TcpProxy.to(ports.remove(ports.size() - 1))) {
			ports.add(proxy.port());
			Address address = new Address(store.name(), ports);
			try (OpenSides sides = OpenSides.of(store, address)) {
				proxy.delay(DELAY);
				return run(plan, sides);
			}
		}
	}

	private Report run(Plan plan, OpenSides sides) throws Exception {
		Table table = Table.of("Five nodes, one of them slow by " + DELAY.toMillis() + " ms", "", "threads", "pairs/s",
				"lowest", "highest", "of bare", "p50 µs", "p99 µs");
		Chart chart = Chart.of("Redlock with a slow node: acquire and release, pairs per second");
		for (int threads : THREADS) {
			plan.progress().accept("slow node, " + threads + " threads");
			Comparison all = sides.compareDistinctKeys(plan.effort(), threads);
			Samples bare = all.of(Contestant.BARE);
			for (Contestant contestant : sides.contestants()) {
				Samples samples = all.of(contestant.name());
				table.row(contestant.name(), String.valueOf(threads), Table.number(samples.rate()),
						Table.number(samples.lowest()), Table.number(samples.highest()),
						Table.number(samples.ratioTo(bare)), Table.number(samples.micros(50)),
						Table.number(samples.micros(99)));
				chart.bar(threads + ((threads == 1) ? " thread" : " threads"), contestant.name(), samples.rate(),
						contestant.work());
			}
		}
		return new Report().add(table).add(chart);
	}

}
