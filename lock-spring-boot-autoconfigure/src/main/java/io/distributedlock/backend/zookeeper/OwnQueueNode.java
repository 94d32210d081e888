package io.distributedlock.backend.zookeeper;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import org.apache.zookeeper.data.Stat;

import io.distributedlock.backend.session.SessionEntry;
import io.distributedlock.spi.OwnerId;

/**
 * A node that this client has created in the queue for a lock.
 *
 * @param session the session that it ends with
 * @param lockPath the node of the lock
 * @param name its name below that
 * @param id its id, see {@link PlaceIds}
 * @param ownerId the owner id of the attempt that made it
 * @param stat its state, with the transaction and the time of the leader's clock
 * @param seenAt the monotonic time at which it was known to exist
 * @param onWakeUp wakes the contender that waits with it
 * @param firstSights when its waiter first saw each cooldown
 * @param watch what is watched while this one waits
 */
record OwnQueueNode(ZooKeeperSession session, String lockPath, String name, OwnerId id, OwnerId ownerId, Stat stat,
		long seenAt, Runnable onWakeUp, Map<String, Long> firstSights, QueueWatch watch) implements SessionEntry {

	static OwnQueueNode of(ZooKeeperSession session, String path, OwnerId id, OwnerId ownerId, Stat stat, long seenAt,
			Runnable wakeUp) {
		int slash = path.lastIndexOf('/');
		return new OwnQueueNode(session, path.substring(0, slash), path.substring(slash + 1), id, ownerId, stat, seenAt,
				wakeUp, new ConcurrentHashMap<>(0), new QueueWatch());
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
	 * Return whether this node waits for the lease of a session.
	 */
	boolean isBehind(long other) {
		return this.watch.isOn(other);
	}

	@Override
	public long firstToken() {
		return SessionEntry.firstToken(this.stat.getCzxid());
	}

	/**
	 * Return the data of the node: the number of its tokens, with permits also their
	 * number, and, for administrators, the instance id.
	 */
	static byte[] data(int span, int permits, String instanceId) {
		String numbers = Math.min(span, TOKENS) + ((permits > 0) ? " " + permits : "");
		return (numbers + "\n" + instanceId).getBytes(StandardCharsets.UTF_8);
	}

}
