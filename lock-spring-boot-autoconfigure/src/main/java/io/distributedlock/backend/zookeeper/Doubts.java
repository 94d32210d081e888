package io.distributedlock.backend.zookeeper;

import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiPredicate;

/**
 * The locks at which an answer to the making of a node got lost, so that one may be there
 * that nobody knows of. What the session owns there and nobody holds or waits for is
 * removed when two sweeps in a row have seen it: an attempt that is under way is over by
 * then.
 */
final class Doubts {

	// By the path of the lock: the nodes that the latest sweep has seen.
	private final Map<String, Set<String>> suspects = new ConcurrentHashMap<>();

	void add(String lockPath) {
		this.suspects.putIfAbsent(lockPath, Set.of());
	}

	/**
	 * Look for other nodes of a lease that has ended.
	 */
	void check(Place ended) {
		Session session = ended.session();
		if (!this.suspects.containsKey(ended.lockPath()) || session.isEnded()) {
			return;
		}
		session.requests().getChildren(ended.lockPath()).thenAccept((names) -> {
			for (LineNode node : LockListing.of(names).line()) {
				if (node.ownerId().equals(ended.ownerId())) {
					session.requests().delete(ended.lockPath() + "/" + node.name());
				}
			}
		});
	}

	/**
	 * Remove what nobody knows of.
	 * @param used whether a place, by the path of its lock and its name, is known
	 */
	void sweep(Session session, BiPredicate<String, LineNode> used) {
		this.suspects
			.forEach((lockPath, before) -> session.requests().getChildren(lockPath).whenComplete((names, fault) -> {
				if (fault != null) {
					if (Faults.isNoNode(fault)) {
						this.suspects.remove(lockPath, before);
					}
					return;
				}
				Set<String> seen = new HashSet<>();
				for (LineNode node : LockListing.of(names).line()) {
					if (node.session() == session.id() && !used.test(lockPath, node)) {
						seen.add(node.name());
						if (before.contains(node.name())) {
							session.requests().delete(lockPath + "/" + node.name());
						}
					}
				}
				if (seen.isEmpty()) {
					this.suspects.remove(lockPath, before);
				}
				else {
					this.suspects.replace(lockPath, before, seen);
				}
			}));
	}

}
