package io.distributedlock.backend.redis;

import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.distributedlock.LockInfo;
import io.distributedlock.LockKeys;
import io.distributedlock.LockMode;
import io.distributedlock.backend.redis.script.ScriptReplies;

/**
 * A group that has been found under the name of a lock.
 *
 * @param key the key
 * @param value the value of the lock
 * @param mode the mode of the members
 */
record RedisGroup(String key, String value, LockMode mode) {

	/**
	 * Return the group that has a lock.
	 * @param key the key
	 * @param reply what was found under the name of the lock
	 * @return the group; empty if the lock has another holder, or none
	 */
	static Optional<RedisGroup> of(String key, List<Object> reply) {
		String value = reply.isEmpty() ? "" : ScriptReplies.text(reply.get(0));
		return Optional.ofNullable(RedisGroupRequests.mode(value)).map((mode) -> new RedisGroup(key, value, mode));
	}

	/**
	 * Describe the members.
	 * @param reply what the script has returned that finds them
	 * @return the members, none if the group has ended meanwhile
	 */
	Stream<LockInfo> members(List<Object> reply) {
		if (reply.isEmpty()) {
			return Stream.empty();
		}
		long now = ScriptReplies.number(reply.get(0));
		return IntStream.range(0, reply.size() / 3).mapToObj((i) -> {
			StoredTokens tokens = StoredTokens.read(ScriptReplies.text(reply.get(3 * i + 3)));
			long ends = ScriptReplies.number(reply.get(3 * i + 2));
			return new LockInfo(this.key, RedisInspection.instance(ScriptReplies.text(reply.get(3 * i + 1))), this.mode,
					tokens.last(), tokens.heldFor(now * 1000), ScriptReplies.duration(ends - now));
		});
	}

	@Override
	public String toString() {
		return LockKeys.printable("RedisGroup[key=" + this.key + ", mode=" + this.mode + "]");
	}

}
