package io.distributedlock.benchmarks.scenario;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.distributedlock.benchmarks.contest.Address;
import io.distributedlock.benchmarks.contest.Contestant;
import io.distributedlock.benchmarks.contest.Store;
import io.distributedlock.benchmarks.measure.Comparison;
import io.distributedlock.benchmarks.measure.Samples;
import io.distributedlock.benchmarks.report.Report;
import io.distributedlock.benchmarks.report.Table;
import io.distributedlock.it.net.TcpProxy;

/**
 * Locks over a network that delays each round trip, so that the number of round trips
 * shows.
 */
final class InjectedDelay implements Scenario {

	private static final List<String> STORES = List.of("ZooKeeper", "etcd");

	private static final List<Integer> THREADS = List.of(1, 8);

	private static final List<Duration> DELAYS = List.of(Duration.ZERO, Duration.ofMillis(5));

	@Override
	public String name() {
		return "injected-delay";
	}

	@Override
	public String title() {
		return "Injected delay";
	}

	@Override
	public String description() {
		return "As with distinct keys, through a proxy that adds nothing or 5 ms to each round trip. With a delay, the"
				+ " median time of acquisition and release in units of it is the number of round trips.";
	}

	@Override
	public Report run(Plan plan) throws Exception {
		Report report = new Report();
		for (Store store : plan.stores()) {
			if (STORES.contains(store.name())) {
				plan.progress().accept("starting " + store.name());
				report.add(run(plan, store));
			}
		}
		return report;
	}

	private Table run(Plan plan, Store store) throws Exception {
		Address address = store.start();
		List<TcpProxy> proxies = new ArrayList<>(address.ports().stream().map(TcpProxy::to).toList());
		Address delayed = new Address(address.store(), proxies.stream().map(TcpProxy::port).toList());
		try (OpenSides sides = OpenSides.of(store, delayed)) {
			Table table = Table.of(store.name(), "", "delay ms", "threads", "pairs/s", "of bare", "p50 ms", "p99 ms");
			for (Duration delay : DELAYS) {
				proxies.forEach((proxy) -> proxy.delay(delay));
				for (int threads : THREADS) {
					plan.progress().accept(store.name() + ", " + delay.toMillis() + " ms, " + threads + " threads");
					measure(plan, sides, delay, threads, table);
				}
			}
			return table;
		}
		finally {
			proxies.forEach(TcpProxy::close);
		}
	}

	private static void measure(Plan plan, OpenSides sides, Duration delay, int threads, Table table) throws Exception {
		Comparison all = sides.compareDistinctKeys(plan.effort(), threads);
		Samples bare = all.of(Contestant.BARE);
		for (Contestant contestant : sides.contestants()) {
			Samples samples = all.of(contestant.name());
			table.row(contestant.name(), String.valueOf(delay.toMillis()), String.valueOf(threads),
					Table.number(samples.rate()), Table.number(samples.ratioTo(bare)),
					Table.number(samples.micros(50) / 1_000), Table.number(samples.micros(99) / 1_000));
		}
	}

}
