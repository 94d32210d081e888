package io.distributedlock.benchmarks.process;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

import io.distributedlock.benchmarks.contest.Side;

/**
 * Threads of one JVM that take a lock and give it back, again and again, within a span of
 * time that all JVMs have agreed on.
 */
final class PairsRound {

	private final Side side;

	private final String key;

	private final long start;

	private final long end;

	private final LongAdder grants = new LongAdder();

	private final LongAdder faults = new LongAdder();

	/**
	 * Create a round.
	 * @param side what locks
	 * @param key the key
	 * @param start when to begin, by {@link System#nanoTime()}, which all processes of a
	 * machine share on Linux
	 * @param end when to end
	 */
	PairsRound(Side side, String key, long start, long end) {
		this.side = side;
		this.key = key;
		this.start = start;
		this.end = end;
	}

	/**
	 * Run the round.
	 * @param threads the number of threads
	 * @return the number of grants within the time, and of pairs that failed
	 * @throws InterruptedException never
	 */
	String run(int threads) throws InterruptedException {
		List<Thread> workers = new ArrayList<>();
		for (int i = 0; i < threads; i++) {
			Thread worker = new Thread(this::work, "pairs-" + i);
			worker.start();
			workers.add(worker);
		}
		for (Thread worker : workers) {
			worker.join();
		}
		return this.grants.sum() + " " + this.faults.sum();
	}

	private void work() {
		while (System.nanoTime() - this.start < 0) {
			LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(100));
		}
		while (System.nanoTime() - this.end < 0) {
			try {
				Side.Held lock = this.side.acquire(this.key);
				if (System.nanoTime() - this.end < 0) {
					this.grants.increment();
				}
				lock.release();
			}
			catch (Exception ex) {
				this.faults.increment();
			}
		}
	}

}
