/**
 * What is measured on a single Redis.
 */
@NullMarked
package io.distributedlock.benchmarks.redis;

import org.jspecify.annotations.NullMarked;
