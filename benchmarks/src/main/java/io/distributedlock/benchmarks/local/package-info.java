/**
 * What is measured within one JVM, without a server.
 */
@NullMarked
package io.distributedlock.benchmarks.local;

import org.jspecify.annotations.NullMarked;
