package io.distributedlock.benchmarks.measure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
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
 * @param shares receives after each round how many pairs each thread did
 */
public record PairsLoad(Side side, int threads, IntFunction<String> keys, Consumer<long[]> shares) implements Load {

	/**
	 * Create a load.
	 * @param side what locks
	 * @param threads the number of threads
	 * @param keys the key of each thread by its index
	 */
	public PairsLoad(Side side, int threads, IntFunction<String> keys) {
		this(side, threads, keys, (pairs) -> {
		});
	}

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

	/**
	 * Return this load with a receiver of the threads' shares.
	 * @param shares receives after each round how many pairs each thread did
	 * @return the load
	 */
	public PairsLoad withShares(Consumer<long[]> shares) {
		return new PairsLoad(this.side, this.threads, this.keys, shares);
	}

	@Override
	public double run(Duration duration, Histogram nanos) throws Exception {
		AtomicReference<@Nullable Throwable> fault = new AtomicReference<>();
		List<Worker> workers = new ArrayList<>();
		CountDownLatch go = new CountDownLatch(1);
		for (int i = 0; i < this.threads; i++) {
			Worker worker = new Worker(this.side, this.keys.apply(i), go, fault);
			worker.start();
			workers.add(worker);
		}
		long start = System.nanoTime();
		workers.forEach((worker) -> worker.end = start + duration.toNanos());
		go.countDown();
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
		this.shares.accept(workers.stream().mapToLong((worker) -> worker.pairs).toArray());
		// The last pairs may end well after the round if one takes long.
		return pairs * (double) TimeUnit.SECONDS.toNanos(1) / (System.nanoTime() - start);
	}

	private static final class Worker extends Thread {

		private final Side side;

		private final String key;

		private final CountDownLatch go;

		private final AtomicReference<@Nullable Throwable> fault;

		private final SingleWriterRecorder recorder = new SingleWriterRecorder(3);

		// Written before the latch opens.
		private long end;

		// Written by this thread, and read after it was joined.
		private long pairs;

		Worker(Side side, String key, CountDownLatch go, AtomicReference<@Nullable Throwable> fault) {
			super("pairs-" + key);
			this.side = side;
			this.key = key;
			this.go = go;
			this.fault = fault;
		}

		@Override
		public void run() {
			try {
				this.go.await();
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
