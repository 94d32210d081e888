package io.distributedlock.backend.zookeeper;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.distributedlock.spi.CompletionCauses;

/**
 * Removes the queue nodes of a session that its client neither holds nor waits for,
 * however they came to be: after each reconnect and each minute.
 * {@link UnconfirmedCreates} know the keys at which there may be one; this looks at all
 * nodes of the session at once.
 * <p>
 * Where several clients share the session of an application, each would find the nodes of
 * the others. Each has a heartbeat of its own, made before its first node: so this looks
 * only where there is a single one.
 */
final class StrayNodes {

	private static final Logger logger = LoggerFactory.getLogger(StrayNodes.class);

	/**
	 * The greatest number of nodes. The client refuses an answer of more than a megabyte,
	 * and closes its connection.
	 */
	private static final int MOST_NODES = 3_000;

	private final LockPaths paths;

	private final UnconfirmedCreates creates;

	StrayNodes(LockPaths paths, UnconfirmedCreates creates) {
		this.paths = paths;
		this.creates = creates;
	}

	/**
	 * Look at all nodes of a session.
	 * @return completed when the answers are there, whatever they are
	 */
	CompletableFuture<Void> remove(ZooKeeperSession session) {
		String root = this.paths.root();
		if (session.entries().size() + this.creates.underWay() > MOST_NODES) {
			return CompletableFuture.completedFuture(null);
		}
		session.requests().sync(root);
		return session.requests()
			.getEphemerals(root)
			.thenCompose((paths) -> remove(session, paths))
			.exceptionally((fault) -> {
				logger.debug("The nodes of {} could not be looked at", session, CompletionCauses.unwrap(fault));
				return null;
			});
	}

	private CompletableFuture<Void> remove(ZooKeeperSession session, List<String> paths) {
		return session.requests()
			.deleteAll(isAlone(session, paths)
					? paths.stream().filter((path) -> isStray(session, path)).map(this::ownPath) : Stream.empty());
	}

	private boolean isStray(ZooKeeperSession session, String path) {
		QueueNode node = QueueNode.parse(name(path));
		boolean stray = node != null && node.session() == session.id() && isLock(parent(path))
				&& !this.creates.isUsed(session, node);
		if (stray) {
			logger.debug("{} is removed, since no lease or waiter of this client uses it", path);
		}
		return stray;
	}

	private String ownPath(String path) {
		return this.paths.child(name(parent(path))) + "/" + name(path);
	}

	private boolean isAlone(ZooKeeperSession session, List<String> paths) {
		String sessions = this.paths.sessions() + "/";
		List<String> heartbeats = paths.stream().filter((path) -> path.contains(sessions)).toList();
		return heartbeats.size() == 1 && session.heartbeat().name().equals(name(heartbeats.get(0)));
	}

	// The server's paths may begin with the chroot of the client.
	private boolean isLock(String lockPath) {
		return parent(lockPath).endsWith(this.paths.root()) && this.paths.key(name(lockPath)).isPresent();
	}

	private static String parent(String path) {
		return path.substring(0, Math.max(0, path.lastIndexOf('/')));
	}

	private static String name(String path) {
		return path.substring(path.lastIndexOf('/') + 1);
	}

}
