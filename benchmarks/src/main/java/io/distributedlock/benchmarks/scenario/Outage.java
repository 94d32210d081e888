package io.distributedlock.benchmarks.scenario;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.benchmarks.measure.Samples;

/**
 * What was measured while a store was down and when it was back.
 *
 * @param calls the calls of each wait time
 * @param threadsBefore the threads of the JVM while the store worked, without callers and
 * proxies
 * @param threadsDuring the most threads while it was down
 * @param untilBack the seconds from the store's return to the first lock
 */
record Outage(List<Calls> calls, int threadsBefore, int threadsDuring, double untilBack) {

	private static final String CALLER = "store-down-caller";

	// The threads of io.distributedlock.it.net.TcpProxy.
	private static final String PROXY = "proxy-";

	private static final Duration PATIENCE = Duration.ofSeconds(10);

	private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

	/**
	 * Measure an outage that lasts until all callers have their error.
	 * @param locks the locks
	 * @param callers how many threads call with each wait time
	 * @param waitTimes the wait times
	 * @param begin stops the store
	 * @param end starts it again
	 * @return what callers saw
	 */
	static Outage run(LockTemplate locks, int callers, List<Duration> waitTimes, Runnable begin, Runnable end)
			throws Exception {
		ExecutorService pool = Executors.newCachedThreadPool((task) -> new Thread(task, CALLER));
		try {
			List<Future<Double>> warmUp = start(pool, "before", callers * waitTimes.size(),
					(key) -> pair(locks, key, PATIENCE));
			int before = await(warmUp);
			begin.run();
			List<List<Future<Double>>> started = new ArrayList<>();
			for (Duration waitTime : waitTimes) {
				started.add(start(pool, "wait-" + waitTime, callers, (key) -> failure(locks, key, waitTime)));
			}
			int during = await(started.stream().flatMap(List::stream).toList());
			List<Calls> calls = new ArrayList<>();
			for (int i = 0; i < waitTimes.size(); i++) {
				calls.add(Calls.of(waitTimes.get(i), started.get(i)));
			}
			return new Outage(calls, before, during, untilBack(locks, end));
		}
		finally {
			pool.shutdownNow();
		}
	}

	private static List<Future<Double>> start(ExecutorService pool, String keys, int callers, Caller caller) {
		List<Future<Double>> calls = new ArrayList<>();
		for (int i = 0; i < callers; i++) {
			String key = keys + "-" + i;
			Callable<Double> call = () -> caller.call(key);
			calls.add(pool.submit(call));
		}
		return calls;
	}

	/**
	 * Wait for calls, and return the most threads that there were meanwhile.
	 */
	private static int await(List<Future<Double>> calls) throws InterruptedException {
		int most = threads();
		while (!calls.stream().allMatch(Future::isDone)) {
			Thread.sleep(20);
			most = Math.max(most, threads());
		}
		return most;
	}

	private static int threads() {
		ThreadInfo[] threads = THREADS.getThreadInfo(THREADS.getAllThreadIds());
		return (int) Arrays.stream(threads)
			.filter(Objects::nonNull)
			.map(ThreadInfo::getThreadName)
			.filter((name) -> !name.startsWith(CALLER) && !name.startsWith(PROXY))
			.count();
	}

	private static double untilBack(LockTemplate locks, Runnable end) {
		long start = System.nanoTime();
		end.run();
		while (true) {
			try {
				pair(locks, "back", PATIENCE);
				return seconds(start);
			}
			catch (LockUnavailableException ex) {
				if (seconds(start) > 6 * PATIENCE.toSeconds()) {
					throw ex;
				}
			}
		}
	}

	private static double pair(LockTemplate locks, String key, Duration waitTime) {
		long start = System.nanoTime();
		locks.acquire(LockRequest.of(key).waitTime(waitTime)).release();
		return seconds(start);
	}

	private static double failure(LockTemplate locks, String key, Duration waitTime) {
		long start = System.nanoTime();
		try {
			locks.acquire(LockRequest.of(key).waitTime(waitTime));
		}
		catch (LockUnavailableException ex) {
			return seconds(start);
		}
		throw new IllegalStateException("A store that is down has granted a lock");
	}

	private static double seconds(long start) {
		return (System.nanoTime() - start) / 1e9;
	}

	/**
	 * What a thread does with a key.
	 */
	@FunctionalInterface
	private interface Caller {

		double call(String key);

	}

	/**
	 * How long calls took until their error.
	 *
	 * @param waitTime their wait time
	 * @param median the time of half of them, in seconds
	 * @param longest the time of the slowest, in seconds
	 */
	record Calls(Duration waitTime, double median, double longest) {

		private static Calls of(Duration waitTime, List<Future<Double>> calls) throws Exception {
			List<Double> seconds = new ArrayList<>();
			for (Future<Double> call : calls) {
				seconds.add(call.get());
			}
			return new Calls(waitTime, Samples.median(seconds),
					seconds.stream().mapToDouble(Double::doubleValue).max().orElseThrow());
		}

	}

}
