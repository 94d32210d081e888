/**
 * ZooKeeper and what locks with it.
 */
@NullMarked
package io.distributedlock.benchmarks.zookeeper;

import org.jspecify.annotations.NullMarked;
