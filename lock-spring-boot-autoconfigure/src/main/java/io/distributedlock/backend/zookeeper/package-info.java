/**
 * The store that keeps locks as nodes of ZooKeeper: an entry in a queue, valid for as
 * long as the session is known to live by the writes that it acknowledges.
 */
@NullMarked
package io.distributedlock.backend.zookeeper;

import org.jspecify.annotations.NullMarked;
