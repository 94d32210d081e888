package io.distributedlock.backend.redis;

import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.data.redis.connection.ClusterSlotHashUtil;

import io.distributedlock.backend.redis.script.RedisKeys;
import io.distributedlock.spi.LockTarget;

/**
 * Knows which keys one script may use. In a Cluster those of one hash slot may be used
 * together.
 */
final class KeySlots {

	private static final Logger logger = LoggerFactory.getLogger(KeySlots.class);

	private final RedisLink link;

	private final RedisKeys keys;

	// Whether the server has refused keys of different slots in one script. Then the one
	// endpoint that the factory knows belongs to a Cluster.
	private final AtomicBoolean foundApart = new AtomicBoolean();

	KeySlots(RedisLink link, RedisKeys keys) {
		this.link = link;
		this.keys = keys;
	}

	/**
	 * Return whether one script may use any keys together.
	 */
	boolean areTogether() {
		return !this.link.isCluster() && !this.foundApart.get();
	}

	/**
	 * Return whether one script may use these keys together.
	 * @param some the keys
	 */
	boolean areTogether(List<String> some) {
		return areTogether()
				|| ClusterSlotHashUtil.isSameSlotForAllKeys(some.stream().map(this.keys::lock).toArray(byte[][]::new));
	}

	/**
	 * Check that one script may use the keys of a target, as far as it was certain from
	 * the beginning.
	 * @param target the keys
	 */
	void requireTogether(LockTarget target) {
		if (target.keys().size() > 1 && this.link.isCluster() && !areTogether(target.keys())) {
			target.requireOneKey(RedisLockBackend.NAME);
		}
	}

	/**
	 * Return whether the server has refused a script because its keys are in different
	 * slots. This is remembered.
	 * @param fault how the script failed
	 */
	boolean areFoundApart(Throwable fault) {
		if (!RedisFaults.isCrossSlot(fault)) {
			return false;
		}
		if (!this.foundApart.getAndSet(true)) {
			logger.info("The Redis of the locks is a server of a Cluster or a proxy before one:"
					+ " each lock has scripts of its own");
		}
		return true;
	}

}
