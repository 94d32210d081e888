/**
 * What takes part in a measurement: stores, their servers, and the sides that lock on
 * them.
 */
@NullMarked
package io.distributedlock.benchmarks.contest;

import org.jspecify.annotations.NullMarked;
