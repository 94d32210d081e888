package io.distributedlock.backend.zookeeper;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;

import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

import io.distributedlock.backend.session.SessionEntry;
import io.distributedlock.spi.OwnerId;

/**
 * A node that this client has created in the queue for a lock.
 *
 * @param session the session that it ends with
 * @param lockPath the node of the lock
 * @param name its name below that
 * @param ownerId the owner id of the attempt that made it
 * @param stat its state, with the transaction and the time of the leader's clock
 * @param seenAt the monotonic time at which it was known to exist
 * @param onWakeUp wakes the contender that waits with it
 * @param firstSights when its waiter first saw each cooldown
 * @param watched the node before this one, which is watched while this one waits
 */
record OwnQueueNode(ZooKeeperSession session, String lockPath, String name, OwnerId ownerId, Stat stat, long seenAt,
		Runnable onWakeUp, Map<String, Long> firstSights,
		AtomicReference<@Nullable QueueNode> watched) implements SessionEntry {

	static OwnQueueNode of(ZooKeeperSession session, String path, OwnerId ownerId, Stat stat, long seenAt,
			Runnable wakeUp) {
		int slash = path.lastIndexOf('/');
		return new OwnQueueNode(session, path.substring(0, slash), path.substring(slash + 1), ownerId, stat, seenAt,
				wakeUp, new ConcurrentHashMap<>(0), new AtomicReference<>());
	}

	@Override
	public void wakeUp() {
		this.onWakeUp.run();
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

	/**
	 * Return when the waiter of this node first saw another node.
	 */
	long firstSightOf(String what, long now) {
		return this.firstSights.computeIfAbsent(what, (unseen) -> now);
	}

	/**
	 * Return whether the node before this one belongs to a session.
	 */
	boolean isBehind(long other) {
		QueueNode before = this.watched.get();
		return before != null && before.session() == other;
	}

	@Override
	public long firstToken() {
		return SessionEntry.firstToken(this.stat.getCzxid());
	}

	/**
	 * Return the data of the node: the number of its tokens and, for administrators, the
	 * instance id.
	 */
	static byte[] data(int span, String instanceId) {
		return (Math.min(span, TOKENS) + "\n" + instanceId).getBytes(StandardCharsets.UTF_8);
	}

}
