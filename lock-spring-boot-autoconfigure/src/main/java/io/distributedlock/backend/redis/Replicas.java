package io.distributedlock.backend.redis;

import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.distributedlock.LockUnavailableException;

/**
 * Judges whether enough replicas have a lease.
 */
final class Replicas {

	private static final Logger logger = LoggerFactory.getLogger(Replicas.class);

	private final int least;

	private final RedisLockSettings.ReplicaAcks acks;

	// Whether the latest lease had too few: they are warned of once.
	private final AtomicBoolean missing = new AtomicBoolean();

	Replicas(int least, RedisLockSettings.ReplicaAcks acks) {
		this.least = least;
		this.acks = acks;
	}

	/**
	 * Judge a lease.
	 * @param key its key
	 * @param reply what the script returned and, at the end, how many replicas have
	 * acknowledged it
	 * @return why it must not be granted, or {@code null}
	 */
	@Nullable LockUnavailableException judge(String key, List<Object> reply) {
		if (this.least == 0) {
			return null;
		}
		long number = Replies.number(reply.get(reply.size() - 1));
		if (number >= this.least) {
			this.missing.set(false);
			return null;
		}
		String message = "Only " + number + " of " + this.least
				+ " replicas of the Redis of the locks have acknowledged" + " in time the lock on '" + key + "'";
		if (this.acks == RedisLockSettings.ReplicaAcks.STRICT) {
			return new LockUnavailableException(message);
		}
		if (!this.missing.getAndSet(true)) {
			logger.warn("{}; it is granted all the same, and so are those that follow", message);
		}
		return null;
	}

}
