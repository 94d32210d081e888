package io.distributedlock.backend.redis;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.lettuce.core.RedisChannelHandler;

/**
 * Knows which connections are interrupted, and since when. Lettuce reconnects each by
 * itself. However, it waits ever longer between two tries, by default up to 30 seconds,
 * and can't be made to try at once. After a long outage a new connection is open much
 * earlier.
 */
final class InterruptedConnections {

	/**
	 * How long to rely on the driver, whose first tries follow each other within less.
	 */
	static final Duration PATIENCE = Duration.ofSeconds(1);

	private final Map<RedisChannelHandler<?, ?>, Long> since = new ConcurrentHashMap<>();

	void interrupted(RedisChannelHandler<?, ?> connection, long now) {
		// The end of those that were closed while interrupted is not reported.
		this.since.keySet().removeIf(RedisChannelHandler::isClosed);
		this.since.putIfAbsent(connection, now);
	}

	void connected(RedisChannelHandler<?, ?> connection) {
		this.since.remove(connection);
	}

	/**
	 * Return whether no connection at all is interrupted.
	 */
	boolean isEmpty() {
		return this.since.isEmpty();
	}

	/**
	 * Return whether a connection has been interrupted for so long that a new one is
	 * likely to be open earlier.
	 */
	boolean isOverdue(Object connection, long now) {
		Long start = (connection instanceof RedisChannelHandler<?, ?> handler) ? this.since.get(handler) : null;
		return start != null && now - start >= PATIENCE.toNanos();
	}

}
