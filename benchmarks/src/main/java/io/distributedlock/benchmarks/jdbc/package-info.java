/**
 * What is measured on databases.
 */
@NullMarked
package io.distributedlock.benchmarks.jdbc;

import org.jspecify.annotations.NullMarked;
