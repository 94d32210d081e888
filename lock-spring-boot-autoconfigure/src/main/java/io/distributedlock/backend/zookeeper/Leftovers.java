package io.distributedlock.backend.zookeeper;

import java.time.Duration;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.distributedlock.spi.LockClock;

/**
 * Nodes that outlive sessions and that this client has made: each is removed when its
 * time is over, unless somebody else did so before.
 */
final class Leftovers {

	private static final Logger logger = LoggerFactory.getLogger(Leftovers.class);

	private final LockClock clock;

	// By what the next one of its kind replaces.
	private final Map<String, Leftover> leftovers = new ConcurrentHashMap<>();

	Leftovers(LockClock clock) {
		this.clock = clock;
	}

	/**
	 * Add a node.
	 * @param kind what a later one replaces
	 * @param path the node
	 * @param time how long it has to stay
	 */
	void add(String kind, String path, Duration time) {
		this.leftovers.put(kind, new Leftover(path, this.clock.nanoTime() + time.toNanos()));
	}

	/**
	 * Remove those whose time is over.
	 */
	void sweep(Session session) {
		long now = this.clock.nanoTime();
		for (Iterator<Leftover> all = this.leftovers.values().iterator(); all.hasNext();) {
			Leftover leftover = all.next();
			if (leftover.dueAt() - now <= 0) {
				all.remove();
				session.requests().delete(leftover.path()).exceptionally((fault) -> {
					logger.debug("{} is left behind", leftover.path(), fault);
					return leftover.path();
				});
			}
		}
	}

	private record Leftover(String path, long dueAt) {
	}

}
