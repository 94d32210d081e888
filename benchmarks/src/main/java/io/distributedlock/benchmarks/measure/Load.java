package io.distributedlock.benchmarks.measure;

import java.time.Duration;

import org.HdrHistogram.Histogram;

/**
 * What a side does for one round.
 */
@FunctionalInterface
public interface Load {

	/**
	 * Do as much as possible within a time.
	 * @param duration how long
	 * @param nanos receives how long each operation took
	 * @return how many operations were done per second
	 * @throws Exception if an operation failed, so that the figure would be wrong
	 */
	double run(Duration duration, Histogram nanos) throws Exception;

}
