/**
 * The scenarios that are measured, one class for each.
 */
@NullMarked
package io.distributedlock.benchmarks.scenario;

import org.jspecify.annotations.NullMarked;
