package io.distributedlock.benchmarks.scenario;

import io.distributedlock.benchmarks.measure.Effort;
import io.distributedlock.benchmarks.report.Report;

/**
 * Something that is measured, and can be run alone.
 */
public interface Scenario {

	/**
	 * Return the name on the command line.
	 * @return lower case words with hyphens
	 */
	String name();

	/**
	 * Return the heading of its results.
	 * @return a few words
	 */
	String title();

	/**
	 * Describe what is measured and how, for readers of the results.
	 * @return a short paragraph in Markdown
	 */
	String description();

	/**
	 * Describe how long it measures, for readers of the results.
	 * @param effort the effort of the run
	 * @return a few words
	 */
	default String extent(Effort effort) {
		return effort.text();
	}

	/**
	 * Measure.
	 * @param plan what to measure, and for how long
	 * @return the results
	 * @throws Exception if a figure could not be measured
	 */
	Report run(Plan plan) throws Exception;

}
