/**
 * The store that keeps locks as nodes of ZooKeeper: a place in line, valid for as long as
 * the session is known to live by the writes that it acknowledges.
 */
@NullMarked
package io.distributedlock.backend.zookeeper;

import org.jspecify.annotations.NullMarked;
