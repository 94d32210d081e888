/**
 * What is measured on several independent Redis servers.
 */
@NullMarked
package io.distributedlock.benchmarks.redlock;

import org.jspecify.annotations.NullMarked;
