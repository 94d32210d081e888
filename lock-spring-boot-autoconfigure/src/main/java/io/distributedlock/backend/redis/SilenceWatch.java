package io.distributedlock.backend.redis;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Finds connections that have fallen silent: calls were sent over them, and nothing was
 * answered since. Such a connection never breaks by itself where a firewall has forgotten
 * it, and the next ones work.
 */
final class SilenceWatch {

	/**
	 * How long a connection may be silent, however short the calls are: a server may
	 * stand still for a moment.
	 */
	static final Duration PATIENCE = Duration.ofSeconds(1);

	// By connection, the time of the latest answer.
	private final Map<Object, Long> answered = new ConcurrentHashMap<>();

	// By connection, when the first call was sent that has timed out since the latest
	// answer. Guarded by the monitor.
	private final Map<Object, Long> silentSince = new HashMap<>();

	void answered(Object connection, long now) {
		this.answered.put(connection, now);
	}

	/**
	 * Take note that a call has timed out.
	 * @param connection over which it was sent
	 * @param sentAt when it was sent
	 * @param now the monotonic time
	 * @return whether the connection is to be dropped; {@code true} once
	 */
	synchronized boolean timedOut(Object connection, long sentAt, long now) {
		Long latest = this.answered.get(connection);
		// An answer is noted a little after it came, perhaps when this call was sent.
		if (latest != null && latest - sentAt >= (now - sentAt) / 2) {
			return false;
		}
		long since = this.silentSince.merge(connection, sentAt,
				(before, next) -> (latest != null && latest - before >= 0) ? next : before);
		if (now - since < PATIENCE.toNanos()) {
			return false;
		}
		this.silentSince.remove(connection);
		// What was sent before is not a reason to drop the next one.
		this.answered.put(connection, now);
		return true;
	}

}
