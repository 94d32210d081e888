/**
 * Measures the locks beside other libraries and the bare commands of each store.
 */
@NullMarked
package io.distributedlock.benchmarks;

import org.jspecify.annotations.NullMarked;
