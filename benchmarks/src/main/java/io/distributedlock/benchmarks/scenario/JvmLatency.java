package io.distributedlock.benchmarks.scenario;

import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;

import org.HdrHistogram.Histogram;

import io.distributedlock.benchmarks.contest.Contestant;
import io.distributedlock.benchmarks.contest.Store;
import io.distributedlock.benchmarks.measure.Effort;
import io.distributedlock.benchmarks.process.SideProcess;
import io.distributedlock.benchmarks.report.Goal;
import io.distributedlock.benchmarks.report.Report;
import io.distributedlock.benchmarks.report.Table;

/**
 * How long a lock takes from one JVM to another one that waits for it. Both take turns:
 * while one holds the lock, the other begins to wait, and a few milliseconds later the
 * first gives it back. Each turn is followed by a bare pair of commands in the JVM that
 * released, after a pause of the same kind, since a processor that has just slept answers
 * later.
 *
 * @param nanos from the return of release to the return of the other's acquire; a grant
 * that returned earlier counts as zero
 * @param roundTrip how long a bare command took
 */
record JvmLatency(Histogram nanos, Histogram roundTrip) {

	private static final double MOST_ROUND_TRIPS = 1.5;

	// Stores that report a release to waiters.
	private static final List<String> PUSHING = List.of("Redis", "Redlock", "PostgreSQL", "ZooKeeper", "etcd");

	private static final String KEY = "passed";

	private static final int LEAST_TURNS = 5;

	private static final long HOLD = TimeUnit.MILLISECONDS.toNanos(3);

	private static final int QUIET_MILLIS = 1;

	/**
	 * Return how long the latency is measured.
	 * @param effort the effort of the run
	 */
	static Effort effort(Effort effort) {
		return new Effort(effort.warmUp().dividedBy(2), effort.round().multipliedBy(2), 1);
	}

	static Table table() {
		return Table.of("From release in one JVM to the grant in another one", "", "turns", "p50 µs", "p90 µs",
				"round trip µs", "p50 in round trips");
	}

	/**
	 * Measure.
	 * @param ofRun the effort of the run
	 * @param contestant the name of the side
	 * @param first a JVM in which it is open, and the bare commands too
	 * @param second another one
	 * @return the latency; empty if the side fails
	 * @throws InterruptedException if interrupted
	 */
	static Optional<JvmLatency> measure(Effort ofRun, String contestant, SideProcess first, SideProcess second)
			throws InterruptedException {
		Effort effort = effort(ofRun);
		try {
			// Where leases stay in a JVM as long as they may, this path is seldom taken,
			// so
			// its code is still slow. Short turns compile it.
			new JvmLatency(new Histogram(3), new Histogram(3)).take(contestant, first, second,
					effort.warmUp().toNanos(), HOLD / 3, 0);
			JvmLatency latency = new JvmLatency(new Histogram(3), new Histogram(3));
			latency.take(contestant, first, second, effort.round().toNanos(), HOLD, QUIET_MILLIS);
			return Optional.of(latency);
		}
		catch (IllegalStateException ex) {
			if (contestant.equals(Contestant.SUBJECT)) {
				throw ex;
			}
			return Optional.empty();
		}
	}

	private void take(String contestant, SideProcess first, SideProcess second, long length, long hold, int quiet)
			throws InterruptedException {
		Random random = new Random(1);
		long end = System.nanoTime() + length;
		SideProcess holder = first;
		SideProcess waiter = second;
		holder.call("acquire", contestant, KEY, 0);
		for (int turn = 0; turn < LEAST_TURNS || System.nanoTime() - end < 0; turn++) {
			waiter.send("acquire", contestant, KEY, quiet);
			// Long enough for the other one to be waiting at the store.
			TimeUnit.NANOSECONDS
				.sleep(Math.max(hold, 8 * this.roundTrip.getValueAtPercentile(50)) + random.nextLong(hold));
			pass(contestant, holder, waiter, quiet);
			for (Object[] bare : new Object[][] { { "acquire", Contestant.BARE, "bare", quiet },
					{ "release", Contestant.BARE, quiet } }) {
				long[] times = holder.call(bare);
				this.roundTrip.recordValue(times[1] - times[0]);
			}
			SideProcess next = waiter;
			waiter = holder;
			holder = next;
		}
		holder.call("release", contestant, 0);
	}

	private void pass(String contestant, SideProcess holder, SideProcess waiter, int quiet)
			throws InterruptedException {
		long[] release;
		long[] acquire;
		try {
			release = holder.call("release", contestant, quiet);
		}
		finally {
			// Even if the release failed, so that the next answer is that to the next
			// command.
			acquire = waiter.receive();
		}
		this.nanos.recordValue(Math.max(0, acquire[1] - release[1]));
	}

	private static double micros(Histogram histogram, double percentile) {
		return histogram.getValueAtPercentile(percentile) / 1_000.0;
	}

	void addTo(Store store, Contestant contestant, Table table, Report report) {
		double roundTrips = micros(this.nanos, 50) / micros(this.roundTrip, 50);
		table.row(store.name() + ", " + contestant.name(), String.valueOf(this.nanos.getTotalCount()),
				Table.number(micros(this.nanos, 50)), Table.number(micros(this.nanos, 90)),
				Table.number(micros(this.roundTrip, 50)), Table.number(roundTrips));
		if (contestant.name().equals(Contestant.SUBJECT) && PUSHING.stream().anyMatch(store.name()::startsWith)) {
			report.add(Goal.atMost(store.name() + ", 2 JVMs", "round trips from release to the other JVM's grant",
					MOST_ROUND_TRIPS, roundTrips));
		}
	}

}
