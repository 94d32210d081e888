package io.distributedlock.backend.zookeeper;

import java.time.Duration;
import java.util.ArrayList;
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

	// Those of sessions that are gone, with the time until which they may be valid.
	private final Map<QueueNode, Long> vacated = new HashMap<>();

	// By session: the same time.
	private final Map<Long, Long> graces = new HashMap<>();

	synchronized boolean isEmpty() {
		return this.seen.isEmpty();
	}

	/**
	 * Record the nodes in front whose end the contender may wait for.
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
				this.vacated.put(node, this.graces.computeIfAbsent(node.session(),
						(session) -> ends.apply(session, this.timeouts.get(session))));
			}
		}
		know(sessions);
	}

	/**
	 * Return the nodes that are gone but whose leases may still be valid.
	 */
	synchronized List<VacatedPlace> vacated(long now) {
		if (this.vacated.isEmpty()) {
			return List.of();
		}
		List<VacatedPlace> counting = new ArrayList<>();
		this.vacated.forEach((node, end) -> {
			if (end - now > 0) {
				counting.add(new VacatedPlace(node.mode(), Duration.ofNanos(end - now)));
			}
		});
		return counting;
	}

	/**
	 * Forget everything, because the contender was granted the lock.
	 */
	synchronized void clear() {
		this.seen.clear();
		this.timeouts.clear();
		this.vacated.clear();
		this.graces.clear();
	}

}
