package io.distributedlock.backend.redis;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;

/**
 * Finds connections that have fallen silent: calls were sent over them, and no answer has
 * arrived since. A connection that a firewall has dropped never breaks by itself,
 * although a new one works.
 */
final class SilenceWatch {

	/**
	 * How long a connection may be silent even if calls are shorter, because a server may
	 * stall for a moment.
	 */
	static final Duration PATIENCE = Duration.ofSeconds(1);

	private final Predicate<Object> closed;

	// By connection, the time of the latest answer.
	private final Map<Object, AtomicLong> answered = new ConcurrentHashMap<>();

	// By connection, the time when the first call was sent that has timed out since the
	// latest answer. Guarded by the monitor.
	private final Map<Object, Long> silentSince = new HashMap<>();

	/**
	 * Create a watch.
	 * @param closed determines whether a connection was closed, and can be forgotten
	 */
	SilenceWatch(Predicate<Object> closed) {
		this.closed = closed;
	}

	void answered(Object connection, long now) {
		AtomicLong latest = this.answered.get(connection);
		if (latest == null) {
			// Connections are replaced after outages, and their end is not reported.
			this.answered.keySet().removeIf(this.closed);
			latest = this.answered.computeIfAbsent(connection, (first) -> new AtomicLong(now));
		}
		latest.set(now);
	}

	/**
	 * Record that a call has timed out.
	 * @param connection the connection over which it was sent
	 * @param sentAt when it was sent
	 * @param now the monotonic time
	 * @return whether to drop the connection; {@code true} once for each silence
	 */
	synchronized boolean timedOut(Object connection, long sentAt, long now) {
		AtomicLong recorded = this.answered.get(connection);
		Long latest = (recorded != null) ? recorded.get() : null;
		// Only answers in the second half of the call's time count. An answer is recorded
		// a little after it has arrived, perhaps after this call was sent.
		if (latest != null && latest - sentAt >= (now - sentAt) / 2) {
			return false;
		}
		long since = this.silentSince.merge(connection, sentAt,
				(before, next) -> (latest != null && latest - before >= 0) ? next : before);
		if (now - since < PATIENCE.toNanos()) {
			return false;
		}
		this.silentSince.remove(connection);
		this.silentSince.keySet().removeIf(this.closed);
		// Calls that were sent before are no reason to drop the next connection.
		answered(connection, now);
		return true;
	}

}
