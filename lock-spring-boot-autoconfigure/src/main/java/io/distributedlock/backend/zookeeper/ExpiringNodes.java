package io.distributedlock.backend.zookeeper;

import java.time.Duration;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.distributedlock.spi.LockClock;

/**
 * Removes the nodes that this client has created and that outlive its session. Each is
 * removed when its time is over, unless another client has done so.
 */
final class ExpiringNodes {

	private static final Logger logger = LoggerFactory.getLogger(ExpiringNodes.class);

	private final LockClock clock;

	// By kind: a later node replaces the earlier one of its kind.
	private final Map<String, ExpiringNode> nodes = new ConcurrentHashMap<>();

	ExpiringNodes(LockClock clock) {
		this.clock = clock;
	}

	/**
	 * Add a node.
	 * @param kind the kind, of which only the latest node is remembered
	 * @param path the node
	 * @param time how long it has to stay
	 */
	void add(String kind, String path, Duration time) {
		this.nodes.put(kind, new ExpiringNode(path, this.clock.nanoTime() + time.toNanos()));
	}

	/**
	 * Remove the nodes whose time is over.
	 */
	void sweep(ZooKeeperSession session) {
		long now = this.clock.nanoTime();
		for (Iterator<ExpiringNode> all = this.nodes.values().iterator(); all.hasNext();) {
			ExpiringNode node = all.next();
			if (node.dueAt() - now <= 0) {
				all.remove();
				session.requests().delete(node.path()).exceptionally((fault) -> {
					logger.debug("{} is left behind", node.path(), fault);
					return node.path();
				});
			}
		}
	}

	private record ExpiringNode(String path, long dueAt) {
	}

}
