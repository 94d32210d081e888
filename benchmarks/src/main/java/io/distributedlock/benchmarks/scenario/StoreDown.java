package io.distributedlock.benchmarks.scenario;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

import io.distributedlock.benchmarks.contest.Address;
import io.distributedlock.benchmarks.contest.Contestant;
import io.distributedlock.benchmarks.contest.Store;
import io.distributedlock.benchmarks.contest.SubjectSide;
import io.distributedlock.benchmarks.contest.Work;
import io.distributedlock.benchmarks.local.LocalLocks;
import io.distributedlock.benchmarks.measure.Effort;
import io.distributedlock.benchmarks.redlock.RedlockStore;
import io.distributedlock.benchmarks.report.Chart;
import io.distributedlock.benchmarks.report.Goal;
import io.distributedlock.benchmarks.report.Report;
import io.distributedlock.benchmarks.report.Table;
import io.distributedlock.it.net.TcpProxy;

/**
 * What callers see while the store is down, and when it is back.
 */
final class StoreDown implements Scenario {

	private static final int CALLERS = 32;

	private static final List<Duration> WAIT_TIMES = List.of(Duration.ZERO, Duration.ofSeconds(1));

	// The default of lock.call-timeout.
	private static final double CALL_TIMEOUT = 2;

	// For as many threads to wake up on a few processors.
	private static final double WAKING = 0.1;

	// What the guarantees promise for connections that fell silent.
	private static final double MOST_UNTIL_BACK = 3 * CALL_TIMEOUT + 1;

	@Override
	public String name() {
		return "store-down";
	}

	@Override
	public String title() {
		return "A store that is down";
	}

	@Override
	public String description() {
		return "A proxy in front of all servers of the store first closes all connections, and new ones at once. After a"
				+ " recovery it leaves them open and holds back all requests until the store is back. Meanwhile "
				+ CALLERS
				+ " threads for each wait time make one call each, for a key of its own, and measure the time until"
				+ " the `LockUnavailableException`. Calls may take the wait time and a call timeout of 2 s, and 0.1 s"
				+ " for so many threads to wake up. The first acquisition is counted from the store's return; the"
				+ " goal is what [the guarantees](../guarantees.md) promise for silent connections beside working ones. Threads are those of"
				+ " the JVM without callers and proxy.";
	}

	@Override
	public String extent(Effort effort) {
		return callers(effort) + " calls with each wait time in one outage of each kind";
	}

	@Override
	public Report run(Plan plan) throws Exception {
		Report report = new Report();
		Table table = Table.of("A store that is down, " + CALLERS + " callers for each wait time", "", "store",
				"wait s", "median s", "longest s", "threads before", "threads during", "first acquisition s");
		List<Result> results = new ArrayList<>();
		for (Store store : plan.stores()) {
			if (!store.name().equals(LocalLocks.NAME)) {
				plan.progress().accept("starting " + store.name());
				results.addAll(run(plan, store));
			}
		}
		for (Result result : results) {
			Outage.Calls calls = result.calls();
			table.row(result.store(), result.fault().text, Table.number(calls.waitTime().toSeconds()),
					Table.number(calls.median()), Table.number(calls.longest()),
					Table.number(result.outage().threadsBefore()), Table.number(result.outage().threadsDuring()),
					Table.number(result.outage().untilBack()));
		}
		addGoals(report, results);
		return report.add(table).add(chart(results));
	}

	private static int callers(Effort effort) {
		return (effort == Effort.TRIAL) ? 2 : CALLERS;
	}

	private static List<Result> run(Plan plan, Store store) throws Exception {
		boolean trial = (plan.effort() == Effort.TRIAL);
		Address address = start(store);
		List<TcpProxy> proxies = address.ports().stream().map(TcpProxy::to).toList();
		Address proxied = new Address(address.store(), proxies.stream().map(TcpProxy::port).toList());
		List<Result> results = new ArrayList<>();
		try (SubjectSide side = (SubjectSide) store.contestant(Contestant.SUBJECT).open(proxied)) {
			for (Fault fault : Fault.values()) {
				plan.progress().accept(store.name() + " " + fault.text);
				Outage outage = Outage.run(side.template(), callers(plan.effort()),
						trial ? WAIT_TIMES.subList(0, 1) : WAIT_TIMES, () -> proxies.forEach(fault.begin),
						() -> proxies.forEach(TcpProxy::restore));
				outage.calls().forEach((calls) -> results.add(new Result(store.name(), fault, outage, calls)));
			}
		}
		finally {
			proxies.forEach(TcpProxy::close);
		}
		return results;
	}

	// A node of Redlock remembers its list, which is that of the proxies here.
	private static Address start(Store store) {
		return (store instanceof RedlockStore redlock) ? redlock.startOthers() : store.start();
	}

	private static void addGoals(Report report, List<Result> results) {
		for (Result result : results) {
			double waitTime = result.calls().waitTime().toSeconds();
			report.add(Goal.atMost(result.subject(), "longest call, s", waitTime + CALL_TIMEOUT + WAKING,
					result.calls().longest()));
		}
		for (Result result : results) {
			// An outage has a result for each wait time.
			if (result.calls() == result.outage().calls().get(0)) {
				report.add(Goal.atMost(result.store() + " " + result.fault().text, "first acquisition, s",
						MOST_UNTIL_BACK, result.outage().untilBack()));
			}
		}
	}

	private static Chart chart(List<Result> results) {
		Chart chart = Chart.of("A store that is down: seconds until the slowest call has its error");
		for (Fault fault : Fault.values()) {
			for (Duration waitTime : WAIT_TIMES) {
				for (Result result : results) {
					if (result.fault() == fault && result.calls().waitTime().equals(waitTime)) {
						chart.bar(fault.text + ", wait time of " + waitTime.toSeconds() + " s", result.store(),
								result.calls().longest(), Work.SUBJECT);
					}
				}
			}
		}
		return chart;
	}

	/**
	 * How a store is down.
	 */
	private enum Fault {

		CLOSES("closes connections", TcpProxy::cut),

		SILENT("is silent", (proxy) -> proxy.requests().hold());

		private final String text;

		private final Consumer<TcpProxy> begin;

		Fault(String text, Consumer<TcpProxy> begin) {
			this.text = text;
			this.begin = begin;
		}

	}

	/**
	 * What callers with a wait time saw.
	 *
	 * @param store the name of the store
	 * @param fault how it was down
	 * @param outage all that was measured meanwhile
	 * @param calls the calls with the wait time
	 */
	private record Result(String store, Fault fault, Outage outage, Outage.Calls calls) {

		String subject() {
			return this.store + " " + this.fault.text + ", wait time of " + this.calls.waitTime().toSeconds() + " s";
		}

	}

}
