/**
 * Sides in JVMs of their own.
 */
@NullMarked
package io.distributedlock.benchmarks.process;

import org.jspecify.annotations.NullMarked;
