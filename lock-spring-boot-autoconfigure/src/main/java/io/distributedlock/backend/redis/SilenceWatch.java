package io.distributedlock.backend.redis;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Finds connections that have fallen silent: calls were sent over them, and nothing was
 * answered since. Such a connection never breaks by itself where a firewall has forgotten
 * it, and the next ones work.
 */
final class SilenceWatch {

	/**
	 * How long a connection may be silent, however short the calls are: a server may stand
	 * still for a moment.
	 */
	static final Duration PATIENCE = Duration.ofSeconds(1);

	// By connection, the time of the first call since its latest answer.
	private final Map<Object, Long> unansweredSince = new ConcurrentHashMap<>();

	void sent(Object connection, long now) {
		this.unansweredSince.putIfAbsent(connection, now);
	}

	void answered(Object connection) {
		this.unansweredSince.remove(connection);
	}

	/**
	 * Take note that a call has timed out.
	 * @return whether the connection is to be dropped; {@code true} once
	 */
	boolean timedOut(Object connection, long now) {
		Long since = this.unansweredSince.get(connection);
		return since != null && now - since >= PATIENCE.toNanos() && this.unansweredSince.remove(connection, since);
	}

}
