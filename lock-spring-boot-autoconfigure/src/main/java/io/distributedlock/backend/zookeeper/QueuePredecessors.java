package io.distributedlock.backend.zookeeper;

import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;

import org.jspecify.annotations.Nullable;

/**
 * Remembers the nodes that a contender has seen before its own. If one is gone together
 * with its session, its holder may not know yet that its lease is over. The contender
 * then waits until the holder must know.
 */
final class QueuePredecessors {

	private final Set<QueueNode> seen = new HashSet<>();

	private final Map<Long, Duration> timeouts = new HashMap<>();

	// By session: the time until which its leases may be valid.
	private final Map<Long, Long> graces = new HashMap<>();

	synchronized boolean isEmpty() {
		return this.seen.isEmpty();
	}

	/**
	 * Record the nodes in front.
	 */
	synchronized void saw(List<QueueNode> before) {
		this.seen.addAll(before);
	}

	/**
	 * Record the session timeouts.
	 */
	synchronized void know(SessionListing sessions) {
		for (QueueNode node : this.seen) {
			Duration timeout = sessions.timeoutOf(node.session());
			if (timeout != null) {
				this.timeouts.put(node.session(), timeout);
			}
		}
	}

	/**
	 * Compare with a later look.
	 * @param queue the queue
	 * @param sessions the sessions, which were listed after the queue
	 * @param ends returns the monotonic time at which the leases of a vanished session
	 * end at the latest; receives the session and its timeout, or {@code null} if that is
	 * not known
	 */
	synchronized void compare(QueueListing queue, SessionListing sessions,
			BiFunction<Long, @Nullable Duration, Long> ends) {
		Set<QueueNode> gone = new HashSet<>(this.seen);
		this.seen.retainAll(Set.copyOf(queue.queue()));
		gone.removeAll(this.seen);
		for (QueueNode node : gone) {
			if (!sessions.isInOrder(node.session())) {
				this.graces.computeIfAbsent(node.session(),
						(session) -> ends.apply(session, this.timeouts.get(session)));
			}
		}
		know(sessions);
	}

	/**
	 * Return how long leases of sessions that are gone may still be valid.
	 */
	synchronized Duration rest(long now) {
		if (this.graces.isEmpty()) {
			return Duration.ZERO;
		}
		long rest = this.graces.values().stream().mapToLong((end) -> end - now).max().orElse(0);
		return Duration.ofNanos(Math.max(0, rest));
	}

	/**
	 * Forget everything, because the contender was granted the lock.
	 */
	synchronized void clear() {
		this.seen.clear();
		this.timeouts.clear();
		this.graces.clear();
	}

}
