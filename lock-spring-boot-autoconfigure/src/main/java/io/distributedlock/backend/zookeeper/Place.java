package io.distributedlock.backend.zookeeper;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import org.apache.zookeeper.data.Stat;

import io.distributedlock.spi.OwnerId;

/**
 * A place in the line for a lock that a client of this JVM has.
 *
 * @param session the session that it ends with
 * @param lockPath the node of the lock
 * @param name the name of the place's node below it
 * @param ownerId the owner id of the attempt that made it
 * @param czxid the transaction that made it
 * @param ctime when that was, by the leader's clock
 * @param seenAt the monotonic time at which it was known to be there
 * @param firstSights when cooldowns were first seen from it
 */
record Place(Session session, String lockPath, String name, OwnerId ownerId, long czxid, long ctime, long seenAt,
		Map<String, Long> firstSights) {

	/**
	 * How many tokens come with a transaction.
	 */
	static final int TOKENS = 1024;

	static Place of(Session session, String path, OwnerId ownerId, Stat stat, long seenAt) {
		int slash = path.lastIndexOf('/');
		return new Place(session, path.substring(0, slash), path.substring(slash + 1), ownerId, stat.getCzxid(),
				stat.getCtime(), seenAt, new ConcurrentHashMap<>(0));
	}

	/**
	 * Return when something was first seen from this place.
	 */
	long firstSightOf(String what, long now) {
		return this.firstSights.computeIfAbsent(what, (unseen) -> now);
	}

	String path() {
		return this.lockPath + "/" + this.name;
	}

	/**
	 * Return the first of the tokens that this place brings. Transactions are numbered in
	 * the order in which they happen, over all keys and elections.
	 */
	long firstToken() {
		return firstToken(this.czxid);
	}

	static long firstToken(long czxid) {
		return czxid * TOKENS;
	}

	/**
	 * Return what the node tells people who look.
	 */
	static byte[] data(int span, String instanceId) {
		return (Math.min(span, TOKENS) + "\n" + instanceId).getBytes(StandardCharsets.UTF_8);
	}

}
