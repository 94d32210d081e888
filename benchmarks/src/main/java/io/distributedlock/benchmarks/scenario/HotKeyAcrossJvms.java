package io.distributedlock.benchmarks.scenario;

import java.util.ArrayList;
import java.util.List;

import io.distributedlock.benchmarks.contest.Address;
import io.distributedlock.benchmarks.contest.Contestant;
import io.distributedlock.benchmarks.contest.Store;
import io.distributedlock.benchmarks.contest.Work;
import io.distributedlock.benchmarks.measure.Effort;
import io.distributedlock.benchmarks.process.SideProcess;
import io.distributedlock.benchmarks.report.Report;
import io.distributedlock.benchmarks.report.Table;

/**
 * One lock that the threads of several JVMs want.
 */
final class HotKeyAcrossJvms implements Scenario {

	private static final int MOST_JVMS = 4;

	// It does not wait, and a loop around it would measure the loop.
	private static final String WITHOUT_WAITING = "ShedLock";

	@Override
	public String name() {
		return "hot-key-jvms";
	}

	@Override
	public String title() {
		return "One hot key in several JVMs";
	}

	@Override
	public String description() {
		return "Two and four JVMs on one machine, each with " + JvmShares.THREADS
				+ " threads, take the same lock and release it, again and again. The share of a JVM is its part of all"
				+ " grants. Then two JVMs pass a lock to and fro: one holds it for a few milliseconds while the other"
				+ " waits. The latency is the time from the return of `release` in one JVM to the return of `acquire`"
				+ " in the other. A round trip is one bare command, sent by the same JVMs in between. Libraries that"
				+ " can't wait take no part.";
	}

	@Override
	public String extent(Effort effort) {
		return JvmShares.effort(effort).text() + ", then " + JvmLatency.effort(effort).text()
				+ " to pass the lock to and fro";
	}

	@Override
	public Report run(Plan plan) throws Exception {
		Report report = new Report();
		Table latencies = JvmLatency.table();
		List<SideProcess> jvms = new ArrayList<>();
		try {
			boolean trial = (plan.effort() == Effort.TRIAL);
			for (int i = 0; i < (trial ? 2 : MOST_JVMS); i++) {
				jvms.add(trial ? SideProcess.start("-XX:TieredStopAtLevel=1") : SideProcess.start());
			}
			for (Store store : plan.stores()) {
				Address address = store.start();
				if (!address.ports().isEmpty()) {
					run(plan, store, address, jvms, report, latencies);
				}
			}
		}
		finally {
			jvms.forEach(SideProcess::close);
		}
		return report.add(latencies);
	}

	private void run(Plan plan, Store store, Address address, List<SideProcess> jvms, Report report, Table latencies)
			throws InterruptedException {
		List<Contestant> sides = store.contestants()
			.stream()
			.filter((contestant) -> !contestant.name().startsWith(WITHOUT_WAITING))
			.toList();
		List<Contestant> waiting = sides.stream().filter((contestant) -> contestant.work() != Work.BARE).toList();
		plan.progress().accept(store.name() + ", " + jvms.size() + " JVMs with " + waiting.size() + " sides");
		for (Contestant contestant : sides) {
			// The first one alone, since some create tables, which not every database
			// does
			// safely from several connections at a time.
			jvms.get(0).call("open", address, contestant.name());
			List<SideProcess> others = jvms.subList(1, jvms.size());
			others.forEach((jvm) -> jvm.send("open", address, contestant.name()));
			receiveAll(others);
		}
		new JvmShares(plan, store, waiting).measure(jvms, report);
		for (Contestant contestant : waiting) {
			plan.progress().accept(store.name() + ", latency of " + contestant.name());
			JvmLatency.measure(plan.effort(), contestant.name(), jvms.get(0), jvms.get(1))
				.ifPresent((latency) -> latency.addTo(store, contestant, latencies, report));
		}
		jvms.forEach((jvm) -> jvm.send("close"));
		receiveAll(jvms);
	}

	private static void receiveAll(List<SideProcess> jvms) throws InterruptedException {
		for (SideProcess jvm : jvms) {
			jvm.receive();
		}
	}

}
