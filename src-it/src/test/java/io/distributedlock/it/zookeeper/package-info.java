/**
 * Tests for locks in ZooKeeper, on real servers.
 */
@NullMarked
package io.distributedlock.it.zookeeper;

import org.jspecify.annotations.NullMarked;
