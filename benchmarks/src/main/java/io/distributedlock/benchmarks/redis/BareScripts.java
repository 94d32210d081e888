package io.distributedlock.benchmarks.redis;

/**
 * The least that a lock with a token needs on a Redis server.
 */
public final class BareScripts {

	/**
	 * Takes a free lock and counts a token. Returns zero if the lock is not free. Keys:
	 * lock, counter; arguments: owner, time in milliseconds.
	 */
	public static final String ACQUIRE = """
			if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then
				return redis.call('INCR', KEYS[2])
			end
			return 0
			""";

	/**
	 * Compares the owner and deletes the lock. Returns zero if another owner has it. Key:
	 * lock; argument: owner.
	 */
	public static final String RELEASE = """
			if redis.call('GET', KEYS[1]) == ARGV[1] then
				return redis.call('DEL', KEYS[1])
			end
			return 0
			""";

	private BareScripts() {
	}

}
