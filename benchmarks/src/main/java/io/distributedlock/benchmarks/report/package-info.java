/**
 * Prints results, compares them with the goals, and writes the page of the documentation.
 */
@NullMarked
package io.distributedlock.benchmarks.report;

import org.jspecify.annotations.NullMarked;
