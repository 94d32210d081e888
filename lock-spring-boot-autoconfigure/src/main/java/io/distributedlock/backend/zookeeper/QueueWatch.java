package io.distributedlock.backend.zookeeper;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * What a waiting node watches: the nodes whose deletion wakes its contender, and the
 * sessions of those that may have the lock.
 * <p>
 * Of the nodes, one that was deleted may still be known until the next look.
 */
final class QueueWatch {

	private final NodeWatches watches;

	private final String lockPath;

	// Both are replaced under the monitor.
	private Set<QueueNode> nodes = Set.of();

	private List<QueueNode> holders = List.of();

	QueueWatch(NodeWatches watches, String lockPath) {
		this.watches = watches;
		this.lockPath = lockPath;
	}

	/**
	 * Return the nodes to watch that are not watched yet.
	 */
	synchronized List<QueueNode> missing(QueueBlockers blockers) {
		return blockers.watched().stream().filter((node) -> !this.nodes.contains(node)).toList();
	}

	/**
	 * Record what is being watched now.
	 */
	synchronized void add(List<QueueNode> more, QueueBlockers blockers) {
		if (!more.isEmpty()) {
			Set<QueueNode> all = new HashSet<>(this.nodes);
			more.stream().filter(all::add).forEach((node) -> this.watches.add(path(node)));
			this.nodes = all;
		}
		this.holders = blockers.holders();
	}

	/**
	 * Record that a node could not be watched.
	 */
	synchronized void remove(QueueNode node) {
		Set<QueueNode> others = new HashSet<>(this.nodes);
		if (others.remove(node)) {
			this.watches.remove(path(node));
			this.nodes = others;
		}
	}

	/**
	 * Forget the nodes that are no longer in the queue.
	 */
	synchronized void retain(QueueListing listing) {
		if (!this.nodes.isEmpty()) {
			Set<QueueNode> left = new HashSet<>(listing.queue());
			left.retainAll(this.nodes);
			this.nodes.stream()
				.filter((node) -> !left.contains(node))
				.forEach((gone) -> this.watches.remove(path(gone)));
			this.nodes = left;
		}
	}

	synchronized void forgetHolders() {
		this.holders = List.of();
	}

	/**
	 * Return whether a session may have the lock.
	 */
	synchronized boolean isOn(long session) {
		return this.holders.stream().anyMatch((holder) -> holder.session() == session);
	}

	/**
	 * Stop watching.
	 */
	synchronized void end() {
		this.nodes.forEach((node) -> this.watches.end(path(node)));
		this.nodes = Set.of();
		this.holders = List.of();
	}

	private String path(QueueNode node) {
		return this.lockPath + "/" + node.name();
	}

}
