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

	// Both are replaced under the monitor.
	private Set<QueueNode> nodes = Set.of();

	private List<QueueNode> holders = List.of();

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
		Set<QueueNode> all = new HashSet<>(this.nodes);
		all.addAll(more);
		this.nodes = all;
		this.holders = blockers.holders();
	}

	/**
	 * Record that a node could not be watched.
	 */
	synchronized void remove(QueueNode node) {
		Set<QueueNode> others = new HashSet<>(this.nodes);
		others.remove(node);
		this.nodes = others;
	}

	/**
	 * Forget the nodes that are no longer in the queue.
	 */
	synchronized void retain(QueueListing listing) {
		if (!this.nodes.isEmpty()) {
			Set<QueueNode> left = new HashSet<>(listing.queue());
			left.retainAll(this.nodes);
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
	 * Forget everything.
	 * @return the nodes whose watches have to be ended
	 */
	synchronized Set<QueueNode> end() {
		Set<QueueNode> ended = this.nodes;
		this.nodes = Set.of();
		this.holders = List.of();
		return ended;
	}

}
