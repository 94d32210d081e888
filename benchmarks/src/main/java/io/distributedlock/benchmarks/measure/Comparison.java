package io.distributedlock.benchmarks.measure;

import java.util.Map;

/**
 * The samples of all sides of one run.
 *
 * @param samples the samples by the name of the side
 */
public record Comparison(Map<String, Samples> samples) {

	/**
	 * Return the samples of a side.
	 * @param side its name
	 * @return the samples
	 */
	public Samples of(String side) {
		Samples found = this.samples.get(side);
		if (found == null) {
			throw new IllegalArgumentException("'" + side + "' took no part, only " + this.samples.keySet());
		}
		return found;
	}

}
