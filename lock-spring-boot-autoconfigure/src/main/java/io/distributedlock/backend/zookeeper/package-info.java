/**
 * The store that keeps locks as nodes of ZooKeeper. A lock is held by the first entry in
 * a queue, for as long as acknowledged heartbeats prove that the session lives.
 */
@NullMarked
package io.distributedlock.backend.zookeeper;

import org.jspecify.annotations.NullMarked;
