package io.distributedlock.backend.zookeeper;

import java.time.Duration;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * The places that a contender has seen before its own. When one is gone together with its
 * session, its holder may not know yet that its lease is over: the contender waits until
 * it must know.
 */
final class Predecessors {

	private final Map<String, LineNode> seen = new HashMap<>();

	private final Map<Long, Duration> timeouts = new HashMap<>();

	// By session: until when its leases may be valid.
	private final Map<Long, Long> graces = new HashMap<>();

	private @Nullable Long waitedFor;

	synchronized boolean isEmpty() {
		return this.seen.isEmpty();
	}

	/**
	 * Take note of the places in front.
	 */
	synchronized void saw(List<LineNode> before) {
		before.forEach((node) -> this.seen.putIfAbsent(node.name(), node));
	}

	/**
	 * Take note of the session time-outs.
	 */
	synchronized void know(SessionListing sessions) {
		for (LineNode node : this.seen.values()) {
			Duration timeout = sessions.timeoutOf(node.session());
			if (timeout != null) {
				this.timeouts.put(node.session(), timeout);
			}
		}
	}

	/**
	 * Compare with a later look.
	 * @param line the line
	 * @param sessions what was listed after it
	 * @param ends gives the time at which the leases of a session end at the latest that
	 * is gone without a word
	 */
	synchronized void compare(LockListing line, SessionListing sessions, Ends ends) {
		for (Iterator<LineNode> all = this.seen.values().iterator(); all.hasNext();) {
			LineNode node = all.next();
			if (!line.contains(node.name())) {
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
	 * Take note of which session's place is the one right before.
	 */
	synchronized void waitFor(long session) {
		this.waitedFor = session;
	}

	synchronized boolean isWaitingFor(long session) {
		return this.waitedFor != null && this.waitedFor == session;
	}

	/**
	 * Forget everything: the contender was granted the lock.
	 */
	synchronized void clear() {
		this.seen.clear();
		this.timeouts.clear();
		this.graces.clear();
		this.waitedFor = null;
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
