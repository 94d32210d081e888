/**
 * What is measured on etcd.
 */
@NullMarked
package io.distributedlock.benchmarks.etcd;

import org.jspecify.annotations.NullMarked;
