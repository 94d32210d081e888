package io.distributedlock.backend.redis;

import java.util.Collections;
import java.util.Set;
import java.util.WeakHashMap;

import org.jspecify.annotations.Nullable;

/**
 * The connections of a pool that have answered since the latest call without an answer.
 */
final class AnsweredConnections {

	// Empty before the first suspicion.
	private final Set<Object> answered = Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

	private volatile boolean suspicious;

	/**
	 * Suspect that all connections have fallen silent, because a call had no answer.
	 */
	void suspectAll() {
		this.suspicious = true;
		this.answered.clear();
	}

	void add(@Nullable Object connection) {
		if (connection != null && this.suspicious) {
			this.answered.add(connection);
		}
	}

	boolean isSuspect(@Nullable Object connection) {
		return connection != null && this.suspicious && !this.answered.contains(connection);
	}

}
