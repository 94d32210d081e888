package io.distributedlock.backend.zookeeper;

import java.util.HashMap;
import java.util.Map;

/**
 * Counts the waiters of one session that watch a node. A session watches a node for all
 * of its waiters at once, and can't end this for one of them. Requests for different keys
 * may wait for the same place: two readers for the writer before them, if one of them has
 * several keys. So the watch is ended when the last of them needs it no longer.
 */
final class NodeWatches {

	private final ZooKeeperRequests requests;

	// By path. Guarded by the monitor, under which watches are also ended.
	private final Map<String, Integer> waiters = new HashMap<>();

	NodeWatches(ZooKeeperRequests requests) {
		this.requests = requests;
	}

	/**
	 * Add a waiter, before it requests its watch.
	 */
	synchronized void add(String path) {
		this.waiters.merge(path, 1, Integer::sum);
	}

	/**
	 * Remove a waiter, whose watch does not exist any more.
	 * @return whether no other waiter is left
	 */
	synchronized boolean remove(String path) {
		return this.waiters.computeIfPresent(path, (same, count) -> (count > 1) ? count - 1 : null) == null;
	}

	/**
	 * Remove a waiter, and end the watch if no other waiter is left.
	 */
	synchronized void end(String path) {
		if (remove(path)) {
			this.requests.unwatch(path);
		}
	}

}
