package io.distributedlock.backend.redlock.lettuce;

import java.util.List;

import io.distributedlock.backend.redis.script.RedisKeys;

/**
 * The names of what is stored for a key that a group may hold.
 *
 * @param lock the lock
 * @param counter its counter
 * @param mark the mark of its waiters
 * @param members the set of members
 * @param tokens the tokens of members
 * @param door the door
 */
record GroupNames(byte[] lock, byte[] counter, byte[] mark, byte[] members, byte[] tokens, byte[] door) {

	static GroupNames of(RedisKeys keys, String key) {
		List<byte[]> all = keys.allOfGroup(key);
		return new GroupNames(all.get(0), all.get(1), all.get(2), all.get(3), all.get(4), all.get(5));
	}

}
