package io.distributedlock.backend.zookeeper;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

import org.apache.zookeeper.data.Stat;

import io.distributedlock.backend.session.SessionEntry;
import io.distributedlock.spi.OwnerId;

/**
 * A node that this client has created in the queue for a lock. With several keys, a
 * request has a node for each, and all of them were created in one transaction. That of
 * the first key stands for all.
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
 * @param further the nodes of the same request in the queues of further keys, in the
 * order of the keys
 */
record OwnQueueNode(ZooKeeperSession session, String lockPath, String name, OwnerId id, OwnerId ownerId, Stat stat,
		long seenAt, Runnable onWakeUp, Map<String, Long> firstSights, QueueWatch watch,
		List<OwnQueueNode> further) implements SessionEntry {

	static OwnQueueNode of(ZooKeeperSession session, String path, OwnerId id, OwnerId ownerId, Stat stat, long seenAt,
			Runnable wakeUp) {
		int slash = path.lastIndexOf('/');
		return new OwnQueueNode(session, path.substring(0, slash), path.substring(slash + 1), id, ownerId, stat, seenAt,
				wakeUp, new ConcurrentHashMap<>(0), new QueueWatch(session.watches(), path.substring(0, slash)),
				List.of());
	}

	/**
	 * Return the node that stands for all nodes of a request.
	 * @param nodes the nodes in the order of the keys
	 */
	static OwnQueueNode ofAll(List<OwnQueueNode> nodes) {
		OwnQueueNode first = nodes.get(0);
		return (nodes.size() == 1) ? first
				: new OwnQueueNode(first.session, first.lockPath, first.name, first.id, first.ownerId, first.stat,
						first.seenAt, first.onWakeUp, first.firstSights, first.watch, nodes.subList(1, nodes.size()));
	}

	/**
	 * Return the nodes of all keys, in the order of the keys.
	 */
	List<OwnQueueNode> all() {
		if (this.further.isEmpty()) {
			return List.of(this);
		}
		return Stream.concat(Stream.of(this), this.further.stream()).toList();
	}

	OwnQueueNode last() {
		return this.further.isEmpty() ? this : this.further.get(this.further.size() - 1);
	}

	boolean hasSameKeysAs(OwnQueueNode other) {
		return all().stream()
			.map(OwnQueueNode::lockPath)
			.toList()
			.equals(other.all().stream().map(OwnQueueNode::lockPath).toList());
	}

	/**
	 * Return whether a node is one of these.
	 */
	boolean includes(String itsLockPath, String itsName) {
		return all().stream().anyMatch((node) -> node.lockPath.equals(itsLockPath) && node.name.equals(itsName));
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
	 * Return whether one of these nodes waits for the lease of a session.
	 */
	boolean isBehind(long other) {
		return all().stream().anyMatch((node) -> node.watch.isOn(other));
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
