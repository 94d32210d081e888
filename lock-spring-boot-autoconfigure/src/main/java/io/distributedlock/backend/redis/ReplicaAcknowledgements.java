package io.distributedlock.backend.redis;

import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.distributedlock.LockKeys;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.backend.redis.script.ScriptReplies;

/**
 * Judges whether enough replicas have a lease, or its renewal.
 */
final class ReplicaAcknowledgements {

	private static final Logger logger = LoggerFactory.getLogger(ReplicaAcknowledgements.class);

	private final int least;

	private final RedisLockSettings.ReplicaAcks acks;

	// Whether the latest lease had too few: they are warned of once.
	private final AtomicBoolean missing = new AtomicBoolean();

	ReplicaAcknowledgements(int least, RedisLockSettings.ReplicaAcks acks) {
		this.least = least;
		this.acks = acks;
	}

	/**
	 * Judge what was written.
	 * @param what what was written, as messages name it
	 * @param reply what the script returned and, if leases wait for replicas, at the end
	 * how many have acknowledged it
	 * @return why it does not count, or {@code null}
	 */
	@Nullable LockUnavailableException judge(String what, List<Object> reply) {
		if (this.least == 0) {
			return null;
		}
		long number = ScriptReplies.number(reply.get(reply.size() - 1));
		if (number >= this.least) {
			this.missing.set(false);
			return null;
		}
		String message = "Only " + number + " of " + this.least
				+ " replicas of the Redis of the locks have acknowledged in time " + what;
		if (this.acks == RedisLockSettings.ReplicaAcks.STRICT) {
			return new LockUnavailableException(message);
		}
		if (!this.missing.getAndSet(true)) {
			logger.warn("{}; that counts all the same, and so does what follows", LockKeys.printable(message));
		}
		return null;
	}

}
