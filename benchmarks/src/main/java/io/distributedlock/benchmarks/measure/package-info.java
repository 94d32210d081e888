/**
 * Runs sides in alternating rounds, and turns what they did into figures and ratios.
 */
@NullMarked
package io.distributedlock.benchmarks.measure;

import org.jspecify.annotations.NullMarked;
