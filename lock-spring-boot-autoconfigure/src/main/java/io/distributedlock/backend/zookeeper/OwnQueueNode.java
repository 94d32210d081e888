package io.distributedlock.backend.zookeeper;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

import io.distributedlock.backend.session.SessionEntry;
import io.distributedlock.spi.OwnerId;

/**
 * A node in the queue for a lock that this client has made.
 */
final class OwnQueueNode implements SessionEntry {

	/**
	 * How many tokens come with a transaction.
	 */
	static final int TOKENS = 1024;

	private final ZooKeeperSession session;

	private final String lockPath;

	private final String name;

	private final OwnerId ownerId;

	private final Stat stat;

	private final long seenAt;

	private final Runnable wakeUp;

	private final Map<String, Long> firstSights = new ConcurrentHashMap<>(0);

	// Set while it waits.
	private volatile @Nullable QueueNode watched;

	/**
	 * Create a node.
	 * @param session the session that it ends with
	 * @param path its path
	 * @param ownerId the owner id of the attempt that made it
	 * @param stat its state
	 * @param seenAt the monotonic time at which it was known to be there
	 * @param wakeUp wakes the contender that waits with it
	 */
	OwnQueueNode(ZooKeeperSession session, String path, OwnerId ownerId, Stat stat, long seenAt, Runnable wakeUp) {
		int slash = path.lastIndexOf('/');
		this.session = session;
		this.lockPath = path.substring(0, slash);
		this.name = path.substring(slash + 1);
		this.ownerId = ownerId;
		this.stat = stat;
		this.seenAt = seenAt;
		this.wakeUp = wakeUp;
	}

	ZooKeeperSession session() {
		return this.session;
	}

	String lockPath() {
		return this.lockPath;
	}

	String name() {
		return this.name;
	}

	String path() {
		return sibling(this.name);
	}

	/**
	 * Return the path of another node of the same lock.
	 */
	String sibling(String other) {
		return this.lockPath + "/" + other;
	}

	@Override
	public OwnerId ownerId() {
		return this.ownerId;
	}

	@Override
	public void wakeUp() {
		this.wakeUp.run();
	}

	/**
	 * Return when it was made, by the leader's clock.
	 */
	long ctime() {
		return this.stat.getCtime();
	}

	long seenAt() {
		return this.seenAt;
	}

	/**
	 * Return when something was first seen from this node.
	 */
	long firstSightOf(String what, long now) {
		return this.firstSights.computeIfAbsent(what, (unseen) -> now);
	}

	/**
	 * Return the node before this one, which is watched for its end.
	 */
	@Nullable QueueNode watched() {
		return this.watched;
	}

	/**
	 * Return whether the node before this one belongs to a session.
	 */
	boolean isBehind(long other) {
		QueueNode before = this.watched;
		return before != null && before.session() == other;
	}

	void watch(@Nullable QueueNode before) {
		this.watched = before;
	}

	/**
	 * Return the first of the tokens that this node brings. Transactions are numbered in
	 * the order in which they happen, over all keys and elections.
	 */
	long firstToken() {
		return firstToken(this.stat.getCzxid());
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
