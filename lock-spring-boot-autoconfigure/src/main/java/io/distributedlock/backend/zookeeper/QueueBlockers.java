package io.distributedlock.backend.zookeeper;

import java.util.List;

/**
 * The nodes that keep another node of the queue from having the lock.
 * <p>
 * To have one of several permits, all but a few of the nodes before have to go. Of any
 * choice of as many nodes as there are permits, one goes with them. So it is sufficient
 * to watch the last ones, and few waiters are woken by one release.
 *
 * @param watched as long as all of them exist, the node does not have the lock
 * @param checked if all of them exist at one instant, the lock is not available to the
 * node, and they do not leave the queue as busy themselves
 * @param holders the nodes that may have the lock, whose sessions may end
 */
record QueueBlockers(List<QueueNode> watched, List<QueueNode> checked, List<QueueNode> holders) {
}
