/**
 * Writes results into the pages of the documentation.
 */
@NullMarked
package io.distributedlock.benchmarks.documentation;

import org.jspecify.annotations.NullMarked;
