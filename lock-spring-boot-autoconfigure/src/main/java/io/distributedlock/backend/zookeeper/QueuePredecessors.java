package io.distributedlock.backend.zookeeper;

import java.time.Duration;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * The nodes that a contender has seen before its own. When one is gone together with its
 * session, its holder may not know yet that its lease is over: the contender waits until
 * it must know.
 */
final class QueuePredecessors {

	private final Map<String, QueueNode> seen = new HashMap<>();

	private final Map<Long, Duration> timeouts = new HashMap<>();

	// By session: until when its leases may be valid.
	private final Map<Long, Long> graces = new HashMap<>();

	synchronized boolean isEmpty() {
		return this.seen.isEmpty();
	}

	/**
	 * Take note of the nodes in front.
	 */
	synchronized void saw(List<QueueNode> before) {
		before.forEach((node) -> this.seen.putIfAbsent(node.name(), node));
	}

	/**
	 * Take note of the session time-outs.
	 */
	synchronized void know(SessionListing sessions) {
		for (QueueNode node : this.seen.values()) {
			Duration timeout = sessions.timeoutOf(node.session());
			if (timeout != null) {
				this.timeouts.put(node.session(), timeout);
			}
		}
	}

	/**
	 * Compare with a later look.
	 * @param queue the queue
	 * @param sessions what was listed after it
	 * @param ends gives the time at which the leases of a session end at the latest that
	 * is gone without a word
	 */
	synchronized void compare(QueueListing queue, SessionListing sessions, Ends ends) {
		for (Iterator<QueueNode> all = this.seen.values().iterator(); all.hasNext();) {
			QueueNode node = all.next();
			if (!queue.contains(node.name())) {
				all.remove();
				long session = node.session();
				if (!sessions.isInOrder(session)) {
					this.graces.computeIfAbsent(session, (gone) -> ends.of(gone, this.timeouts.get(gone)));
				}
			}
		}
		know(sessions);
	}

	/**
	 * Return for how long leases of sessions that are gone may still be valid.
	 */
	synchronized Duration rest(long now) {
		long rest = 0;
		for (long end : this.graces.values()) {
			rest = Math.max(rest, end - now);
		}
		return Duration.ofNanos(rest);
	}

	/**
	 * Forget everything: the contender was granted the lock.
	 */
	synchronized void clear() {
		this.seen.clear();
		this.timeouts.clear();
		this.graces.clear();
	}

	/**
	 * Finds when leases end.
	 */
	@FunctionalInterface
	interface Ends {

		/**
		 * Return the monotonic time at which the leases of a session end at the latest.
		 * @param session the session, which is gone
		 * @param timeout its time-out, if known
		 */
		long of(long session, @Nullable Duration timeout);

	}

}
