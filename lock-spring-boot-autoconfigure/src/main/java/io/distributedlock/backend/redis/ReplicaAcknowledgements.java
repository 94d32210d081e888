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
 * Judges whether enough replicas have acknowledged a lease, or its renewal.
 */
final class ReplicaAcknowledgements {

	private static final Logger logger = LoggerFactory.getLogger(ReplicaAcknowledgements.class);

	private final int least;

	private final RedisLockSettings.ReplicaAcks acks;

	// Whether the latest lease had too few acknowledgements. There is one warning until
	// enough arrive again.
	private final AtomicBoolean missing = new AtomicBoolean();

	ReplicaAcknowledgements(int least, RedisLockSettings.ReplicaAcks acks) {
		this.least = least;
		this.acks = acks;
	}

	/**
	 * Judge a write.
	 * @param what what was written, as messages name it
	 * @param reply the result of the script. If leases wait for replicas, it ends with
	 * the number of those that have acknowledged the write
	 * @return the reason why the write does not count, or {@code null} if it does
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
				+ " replicas of the Redis of the locks have acknowledged " + what + " in time";
		if (this.acks == RedisLockSettings.ReplicaAcks.STRICT) {
			return new LockUnavailableException(message);
		}
		if (!this.missing.getAndSet(true)) {
			logger.warn("{}; it counts nevertheless, and so do later ones (lock.redis.replica-acks)",
					LockKeys.printable(message));
		}
		return null;
	}

}
