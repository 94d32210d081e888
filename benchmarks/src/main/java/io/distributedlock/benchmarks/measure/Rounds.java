package io.distributedlock.benchmarks.measure;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.HdrHistogram.Histogram;

/**
 * Runs several loads in alternating rounds, so that other work of the machine meets all
 * of them. Each round begins with another one, since what ran before leaves its traces.
 */
public final class Rounds {

	private static final int DIGITS = 3;

	private Rounds() {
	}

	/**
	 * Measure.
	 * @param effort how long
	 * @param loads what to measure, by name
	 * @return the samples of each load
	 * @throws Exception if a load failed
	 */
	public static Comparison run(Effort effort, Map<String, Load> loads) throws Exception {
		Map<String, Samples> samples = new LinkedHashMap<>();
		Comparison comparison = new Comparison(samples);
		for (Map.Entry<String, Load> load : loads.entrySet()) {
			load.getValue().run(effort.warmUp(), new Histogram(DIGITS));
			samples.put(load.getKey(), new Samples(load.getKey(), new ArrayList<>(), new Histogram(DIGITS)));
		}
		List<Map.Entry<String, Load>> order = new ArrayList<>(loads.entrySet());
		for (int round = 0; round < effort.rounds(); round++) {
			for (Map.Entry<String, Load> load : order) {
				Samples taken = comparison.of(load.getKey());
				taken.rates().add(load.getValue().run(effort.round(), taken.nanos()));
			}
			order.add(order.remove(0));
		}
		return comparison;
	}

}
