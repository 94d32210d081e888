package io.distributedlock.it.redlock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;

/**
 * Measures several contenders in turn, so that other load of the machine affects all of
 * them, and prints the medians. The ratios compare the first contender with each other
 * one: they are medians of the ratios within a turn.
 */
final class ThroughputTable {

	private static final Duration ROUND = Duration.parse(System.getProperty("round", "PT2S"));

	private static final int ROUNDS = Integer.getInteger("rounds", 5);

	private final String title;

	private final Map<String, ThroughputContender> contenders;

	ThroughputTable(String title, Map<String, ThroughputContender> contenders) {
		this.title = title;
		this.contenders = contenders;
	}

	void print() throws InterruptedException {
		for (int threads : new int[] { 1, 16 }) {
			Map<String, double[]> results = measure(threads);
			double[] first = results.values().iterator().next();
			results.forEach((name, result) -> System.out.printf(
					"%s, %2d threads: %-14s %8.1f pairs/s (%.1f to %.1f), ratio to it %.2f%n", this.title, threads,
					name, median(result), Arrays.stream(result).min().orElseThrow(),
					Arrays.stream(result).max().orElseThrow(), median(ratios(first, result))));
		}
	}

	private Map<String, double[]> measure(int threads) throws InterruptedException {
		Map<String, double[]> results = new LinkedHashMap<>();
		for (Map.Entry<String, ThroughputContender> contender : this.contenders.entrySet()) {
			run(threads, contender.getValue());
			results.put(contender.getKey(), new double[ROUNDS]);
		}
		for (int round = 0; round < ROUNDS; round++) {
			for (Map.Entry<String, double[]> result : results.entrySet()) {
				result.getValue()[round] = run(threads, this.contenders.get(result.getKey()));
			}
		}
		return results;
	}

	private static double run(int threads, ThroughputContender contender) throws InterruptedException {
		LongAdder pairs = new LongAdder();
		AtomicReference<Throwable> fault = new AtomicReference<>();
		long start = System.nanoTime();
		List<Thread> all = new ArrayList<>();
		for (int i = 0; i < threads; i++) {
			String key = "key-" + i;
			Thread thread = new Thread(() -> {
				while (System.nanoTime() - start < ROUND.toNanos()) {
					contender.lockAndUnlock(key);
					pairs.increment();
				}
			}, "pairs-" + i);
			thread.setUncaughtExceptionHandler((failed, ex) -> fault.set(ex));
			thread.start();
			all.add(thread);
		}
		for (Thread thread : all) {
			thread.join();
		}
		if (fault.get() != null) {
			throw new IllegalStateException("A pair failed", fault.get());
		}
		// The last pairs may end well after the round if one takes long.
		return pairs.sum() * (double) TimeUnit.SECONDS.toNanos(1) / (System.nanoTime() - start);
	}

	private static double[] ratios(double[] first, double[] other) {
		double[] ratios = new double[first.length];
		for (int i = 0; i < first.length; i++) {
			ratios[i] = first[i] / other[i];
		}
		return ratios;
	}

	private static double median(double[] values) {
		double[] sorted = values.clone();
		Arrays.sort(sorted);
		return (sorted[(sorted.length - 1) / 2] + sorted[sorted.length / 2]) / 2;
	}

}
