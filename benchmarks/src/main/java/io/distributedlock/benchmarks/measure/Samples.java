package io.distributedlock.benchmarks.measure;

import java.util.Arrays;
import java.util.List;

import org.HdrHistogram.Histogram;

/**
 * What one side did in its rounds.
 *
 * @param side the name of the side
 * @param rates operations per second, one figure for each round
 * @param nanos how long an operation took, over all rounds
 */
public record Samples(String side, List<Double> rates, Histogram nanos) {

	/**
	 * Return the median of the rates.
	 * @return operations per second
	 */
	public double rate() {
		return median(this.rates);
	}

	public double lowest() {
		return this.rates.stream().min(Double::compare).orElseThrow();
	}

	public double highest() {
		return this.rates.stream().max(Double::compare).orElseThrow();
	}

	/**
	 * Return how fast this side was beside another one: the median of the ratios within
	 * each round. So a machine that is slow for some rounds does not count.
	 * @param other the samples of the other side, from the same rounds
	 * @return the ratio; above 1 if this side was faster
	 */
	public double ratioTo(Samples other) {
		double[] ratios = new double[this.rates.size()];
		for (int round = 0; round < ratios.length; round++) {
			ratios[round] = this.rates.get(round) / other.rates.get(round);
		}
		return median(Arrays.stream(ratios).boxed().toList());
	}

	/**
	 * Return how long operations took.
	 * @param percentile the share of operations that took no longer, from 0 to 100
	 * @return the time in microseconds
	 */
	public double micros(double percentile) {
		return this.nanos.getValueAtPercentile(percentile) / 1_000.0;
	}

	/**
	 * Return the median of some figures.
	 * @param figures the figures, at least one
	 * @return the middle one, or the mean of the two in the middle
	 */
	public static double median(List<Double> figures) {
		double[] sorted = figures.stream().mapToDouble(Double::doubleValue).sorted().toArray();
		return (sorted[(sorted.length - 1) / 2] + sorted[sorted.length / 2]) / 2;
	}

}
