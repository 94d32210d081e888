package io.distributedlock.benchmarks.scenario;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;

import com.sun.management.OperatingSystemMXBean;

import io.distributedlock.benchmarks.contest.Address;
import io.distributedlock.benchmarks.contest.Contestant;
import io.distributedlock.benchmarks.contest.Store;
import io.distributedlock.benchmarks.contest.SubjectSide;
import io.distributedlock.benchmarks.measure.Effort;
import io.distributedlock.benchmarks.report.Goal;
import io.distributedlock.benchmarks.report.Report;
import io.distributedlock.benchmarks.report.Table;

/**
 * What it costs to hold many leases.
 */
final class Renewals implements Scenario {

	private static final int MANY = 10_000;

	private static final Duration SHORT_TTL = Duration.ofSeconds(6);

	private static final Duration DEFAULT_TTL = Duration.ofSeconds(30);

	private static final double MOST_COMMANDS = 1;

	private static final double MOST_PERCENT = 2;

	private final OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

	@Override
	public String name() {
		return "renewals";
	}

	@Override
	public String title() {
		return "Held leases";
	}

	@Override
	public String description() {
		return "One JVM holds many leases of keys of their own, which are renewed after each third of their TTL (a tick)."
				+ " The processor time is that of the whole JVM, less that of the same JVM before it held leases."
				+ " The commands are counted by the servers and given for each server: scripts on Redis, transactions"
				+ " on PostgreSQL, statements on MariaDB, packets on ZooKeeper, messages on etcd.";
	}

	@Override
	public String extent(Effort effort) {
		return (effort == Effort.TRIAL) ? "1 s"
				: "4 to 20 s for each number of leases, after a quarter of that without";
	}

	@Override
	public Report run(Plan plan) throws Exception {
		Report report = new Report();
		Table table = Table.of("Leases that are held", "", "leases", "TTL s", "% of a core", "commands per tick",
				"commands per 100 leases and tick", "lost leases");
		for (Store store : plan.stores()) {
			Address address = store.start();
			try (SubjectSide side = (SubjectSide) store.contestant(Contestant.SUBJECT).open(address);
					ServerCommands commands = ServerCommands.of(address, side)) {
				for (Step step : steps(plan.effort(), store)) {
					plan.progress().accept(store.name() + ", " + step.leases() + " leases");
					measure(store, step, side, commands, table, report);
				}
			}
		}
		return report.add(table);
	}

	private static List<Step> steps(Effort effort, Store store) {
		if (effort == Effort.TRIAL) {
			return List.of(new Step(100, SHORT_TTL.dividedBy(2), Duration.ofSeconds(1)));
		}
		Step few = new Step(MANY / 10, SHORT_TTL, Duration.ofSeconds(4));
		Step many = new Step(MANY, SHORT_TTL, Duration.ofSeconds(10));
		Step normal = new Step(MANY, DEFAULT_TTL, Duration.ofSeconds(20));
		return store.name().equals("Redis") ? List.of(few, many, normal) : List.of(few, many);
	}

	private void measure(Store store, Step step, SubjectSide side, ServerCommands commands, Table table, Report report)
			throws InterruptedException {
		// Calls of an earlier step may have been compiled until now.
		Thread.sleep(step.length().toMillis() / 10);
		Usage idle = use(step.length().dividedBy(4), commands);
		HeldLeases leases = new HeldLeases(side.template(), "held", step.leases());
		leases.acquire((request) -> request.ttl(step.ttl()));
		Usage busy = use(step.length(), commands);
		int lost = leases.lost();
		leases.release();
		double percent = Math.max(0, busy.percent() - idle.percent());
		double ticks = 3.0 * step.length().toNanos() / step.ttl().toNanos();
		double perTick = Math.max(0, busy.commands() - 4 * idle.commands()) / ticks;
		double perHundred = 100 * perTick / step.leases();
		boolean counted = commands.count().isPresent();
		table.row(store.name(), Table.number(step.leases()), Table.number(step.ttl().toMillis() / 1_000.0),
				Table.number(percent), counted ? Table.number(perTick) : "", counted ? Table.number(perHundred) : "",
				String.valueOf(lost));
		if (store.name().equals("Redis") && step.ttl().equals(DEFAULT_TTL)) {
			String what = "Redis, 10,000 held leases";
			report.add(Goal.atMost(what, "commands per 100 leases and tick", MOST_COMMANDS, perHundred));
			report.add(Goal.atMost(what, "% of a core", MOST_PERCENT, percent));
		}
	}

	private Usage use(Duration length, ServerCommands commands) throws InterruptedException {
		long before = commands.count().orElse(0);
		long start = System.nanoTime();
		long cpu = this.system.getProcessCpuTime();
		Thread.sleep(length.toMillis());
		double percent = 100.0 * (this.system.getProcessCpuTime() - cpu) / (System.nanoTime() - start);
		OptionalLong after = commands.count();
		return new Usage(percent, after.orElse(0) - before);
	}

	/**
	 * What is held at a time.
	 *
	 * @param leases the number of leases
	 * @param ttl their TTL
	 * @param length how long to measure
	 */
	private record Step(int leases, Duration ttl, Duration length) {
	}

	/**
	 * What was used in a while.
	 *
	 * @param percent processor time in percent of a core
	 * @param commands the number of commands that the servers have received, each
	 */
	private record Usage(double percent, double commands) {
	}

}
