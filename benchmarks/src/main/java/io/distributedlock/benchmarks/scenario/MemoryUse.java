package io.distributedlock.benchmarks.scenario;

import java.lang.management.ManagementFactory;
import java.lang.ref.Reference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.benchmarks.contest.Address;
import io.distributedlock.benchmarks.contest.Contestant;
import io.distributedlock.benchmarks.contest.Store;
import io.distributedlock.benchmarks.contest.SubjectSide;
import io.distributedlock.benchmarks.measure.Effort;
import io.distributedlock.benchmarks.report.Goal;
import io.distributedlock.benchmarks.report.Report;
import io.distributedlock.benchmarks.report.Table;

/**
 * How much of the heap leases, waiters and keys take.
 */
final class MemoryUse implements Scenario {

	private static final int READINGS = 3;

	private static final int MOST_FOR_LEASE = 1_024;

	// One object that remains for a key has at least 16 bytes.
	private static final int MOST_FOR_KEY = 1;

	private static final Duration WAIT_TIME = Duration.ofMinutes(10);

	// One in a trial.
	private int readings = READINGS;

	@Override
	public String name() {
		return "memory";
	}

	@Override
	public String title() {
		return "Memory";
	}

	@Override
	public String description() {
		return "The used heap after several garbage collections, the least of " + READINGS
				+ " readings, with and without leases, asynchronous waiters of one key, and keys that were locked and"
				+ " released. The keys themselves belong to the caller and do not count. Figures for keys below one"
				+ " byte are noise: a single object that remains for a key has at least 16 bytes.";
	}

	@Override
	public String extent(Effort effort) {
		int count = count(effort);
		return String.format(Locale.ROOT, "%,d leases and waiters, up to %,d keys", count, 10 * count);
	}

	@Override
	public Report run(Plan plan) throws Exception {
		Report report = new Report();
		Table table = Table.of("Bytes of the heap", "", "held lease", "waiter", "released key", "released keys");
		this.readings = (plan.effort() == Effort.TRIAL) ? 1 : READINGS;
		for (Store store : plan.stores()) {
			plan.progress().accept(store.name());
			Address address = store.start();
			try (SubjectSide side = (SubjectSide) store.contestant(Contestant.SUBJECT).open(address)) {
				measure(store, side, count(plan.effort()), table, report);
			}
		}
		return report.add(table);
	}

	private static int count(Effort effort) {
		return (effort == Effort.TRIAL) ? 200 : 10_000;
	}

	private void measure(Store store, SubjectSide side, int count, Table table, Report report)
			throws InterruptedException {
		// The first ones leave caches and classes behind.
		leases(side, count / 10);
		waiters(side, count / 10);
		double lease = leases(side, count);
		double waiter = waiters(side, count);
		HeldLeases released = new HeldLeases(side.template(), "released", 10 * count);
		long before = used();
		int keys = released.pass(Duration.ofMillis(count));
		double key = (used() - before) / (double) keys;
		table.row(store.name(), Table.number(lease), Table.number(waiter), Table.number(key), Table.number(keys));
		report.add(Goal.atMost(store.name(), "bytes for each held lease", MOST_FOR_LEASE, lease));
		report.add(Goal.atMost(store.name(), "bytes for each key that is not held", MOST_FOR_KEY, key));
		// The caller's part of the memory is in both readings.
		Reference.reachabilityFence(released);
	}

	private double leases(SubjectSide side, int count) throws InterruptedException {
		HeldLeases leases = new HeldLeases(side.template(), "memory", count);
		long before = used();
		leases.acquire(UnaryOperator.identity());
		double each = (used() - before) / (double) count;
		leases.release();
		return each;
	}

	private double waiters(SubjectSide side, int count) throws InterruptedException {
		LockRequest request = LockRequest.of("waited-for").waitTime(WAIT_TIME);
		Lease lease = side.template().acquire(request);
		List<CompletionStage<Lease>> waiters = new ArrayList<>(count);
		long before = used();
		for (int i = 0; i < count; i++) {
			waiters.add(side.template().acquireAsync(request));
		}
		double each = (used() - before) / (double) count;
		waiters.forEach((waiter) -> waiter.toCompletableFuture().cancel(false));
		lease.release();
		return each;
	}

	private long used() throws InterruptedException {
		long least = Long.MAX_VALUE;
		for (int reading = 0; reading < this.readings; reading++) {
			// Answers to the last calls, and what they leave behind, go first.
			Thread.sleep(50);
			System.gc();
			least = Math.min(least, ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
		}
		return least;
	}

}
