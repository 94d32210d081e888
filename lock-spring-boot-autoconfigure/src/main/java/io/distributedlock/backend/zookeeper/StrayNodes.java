package io.distributedlock.backend.zookeeper;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;

import io.distributedlock.backend.session.StrayEntries;
import io.distributedlock.spi.LockClock;

/**
 * Removes the queue nodes of a session that no attempt, lease or waiter of its client
 * uses. This is done every minute, and after each reconnect because answers may have been
 * lost. {@link UnconfirmedCreates} knows the keys that may have such a node, whereas this
 * class looks at all nodes of the session at once. One look is enough: an unused node
 * that it shows is stray, or about to be deleted without a cooldown.
 * <p>
 * If several clients share the session of an application, each would find the nodes of
 * the others. Each has its own heartbeat, created before its first node. So nodes are
 * removed only if the session has a single heartbeat.
 */
final class StrayNodes extends StrayEntries<ZooKeeperSession, String> {

	/**
	 * The greatest number of nodes. The client refuses an answer of more than a megabyte,
	 * and closes its connection.
	 */
	private static final int MOST_NODES = 3_000;

	private final LockPaths paths;

	private final UnconfirmedCreates creates;

	StrayNodes(LockPaths paths, ZooKeeperSessions sessions, UnconfirmedCreates creates, LockClock clock) {
		super(sessions::current, Looks.ONE, clock);
		this.paths = paths;
		this.creates = creates;
	}

	@Override
	protected CompletionStage<List<String>> list(ZooKeeperSession session) {
		this.creates.settle(session);
		if (places(session) + this.creates.underWay() > MOST_NODES) {
			return CompletableFuture.completedStage(List.of());
		}
		session.requests().sync(this.paths.root());
		return session.requests()
			.getEphemerals(this.paths.root())
			.thenApply((paths) -> isAlone(session, paths) ? paths : List.of());
	}

	private static int places(ZooKeeperSession session) {
		return Stream.concat(session.entries().waiting().stream(), session.entries().held().stream())
			.mapToInt((node) -> node.all().size())
			.sum();
	}

	private boolean isAlone(ZooKeeperSession session, List<String> paths) {
		String sessions = this.paths.sessions() + "/";
		List<String> heartbeats = paths.stream().filter((path) -> path.contains(sessions)).toList();
		return heartbeats.size() == 1 && session.heartbeat().name().equals(name(heartbeats.get(0)));
	}

	@Override
	protected boolean isStray(ZooKeeperSession session, String path) {
		QueueNode node = QueueNode.parse(name(path));
		return node != null && node.session() == session.id() && isLock(parent(path))
				&& !this.creates.isUsed(session, lockPath(path), node);
	}

	// The server's paths may begin with the chroot of the client.
	private boolean isLock(String lockPath) {
		return parent(lockPath).endsWith(this.paths.root()) && this.paths.key(name(lockPath)).isPresent();
	}

	@Override
	protected CompletableFuture<Void> delete(ZooKeeperSession session, List<String> paths) {
		return session.requests().deleteAll(paths.stream().map((path) -> lockPath(path) + "/" + name(path)));
	}

	private String lockPath(String path) {
		return this.paths.child(name(parent(path)));
	}

	private static String parent(String path) {
		return path.substring(0, Math.max(0, path.lastIndexOf('/')));
	}

	private static String name(String path) {
		return path.substring(path.lastIndexOf('/') + 1);
	}

}
