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
	 * Judge a lease.
	 * @param key its key
	 * @param reply what the script returned and, at the end, how many replicas have
	 * acknowledged it
	 * @return why it must not be granted, or {@code null}
	 */
	@Nullable LockUnavailableException judge(String key, List<Object> reply) {
		return (this.least > 0) ? judge("the lock on '" + key + "'", ScriptReplies.number(reply.get(reply.size() - 1)))
				: null;
	}

	/**
	 * Judge renewals.
	 * @param number how many replicas have acknowledged them
	 * @return why they do not count, or {@code null}
	 */
	@Nullable LockUnavailableException judgeRenewals(long number) {
		return (this.least > 0) ? judge("renewed leases", number) : null;
	}

	private @Nullable LockUnavailableException judge(String what, long number) {
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
