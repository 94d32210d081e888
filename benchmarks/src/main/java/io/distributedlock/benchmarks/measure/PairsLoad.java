package io.distributedlock.benchmarks.measure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntFunction;

import org.HdrHistogram.Histogram;
import org.HdrHistogram.SingleWriterRecorder;
import org.jspecify.annotations.Nullable;

import io.distributedlock.benchmarks.contest.Side;

/**
 * Threads that each take a lock and give it back, again and again. One operation is the
 * pair of both.
 *
 * @param side what locks
 * @param threads the number of threads
 * @param keys the key of each thread by its index
 */
public record PairsLoad(Side side, int threads, IntFunction<String> keys) implements Load {

	/**
	 * Return a load in which each thread has a key of its own.
	 * @param side what locks
	 * @param threads the number of threads
	 * @return the load
	 */
	public static PairsLoad distinct(Side side, int threads) {
		return new PairsLoad(side, threads, (thread) -> "key-" + thread);
	}

	/**
	 * Return a load in which all threads want the same key.
	 * @param side what locks
	 * @param threads the number of threads
	 * @return the load
	 */
	public static PairsLoad hot(Side side, int threads) {
		return new PairsLoad(side, threads, (thread) -> "hot");
	}

	@Override
	public double run(Duration duration, Histogram nanos) throws Exception {
		AtomicReference<@Nullable Throwable> fault = new AtomicReference<>();
		List<Worker> workers = new ArrayList<>();
		long start = System.nanoTime();
		for (int i = 0; i < this.threads; i++) {
			Worker worker = new Worker(this.side, this.keys.apply(i), start + duration.toNanos(), fault);
			worker.start();
			workers.add(worker);
		}
		long pairs = 0;
		for (Worker worker : workers) {
			worker.join();
			pairs += worker.pairs;
			nanos.add(worker.recorder.getIntervalHistogram());
		}
		Throwable thrown = fault.get();
		if (thrown != null) {
			throw new IllegalStateException("A pair failed", thrown);
		}
		// The last pairs may end well after the round if one takes long.
		return pairs * (double) TimeUnit.SECONDS.toNanos(1) / (System.nanoTime() - start);
	}

	private static final class Worker extends Thread {

		private final Side side;

		private final String key;

		private final long end;

		private final AtomicReference<@Nullable Throwable> fault;

		private final SingleWriterRecorder recorder = new SingleWriterRecorder(3);

		// Written by this thread, and read after it was joined.
		private long pairs;

		Worker(Side side, String key, long end, AtomicReference<@Nullable Throwable> fault) {
			super("pairs-" + key);
			this.side = side;
			this.key = key;
			this.end = end;
			this.fault = fault;
		}

		@Override
		public void run() {
			try {
				long begin = System.nanoTime();
				while (begin - this.end < 0) {
					this.side.acquire(this.key).release();
					long now = System.nanoTime();
					this.recorder.recordValue(now - begin);
					this.pairs++;
					begin = now;
				}
			}
			catch (Throwable ex) {
				this.fault.compareAndSet(null, ex);
			}
		}

	}

}
