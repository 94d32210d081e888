package io.distributedlock.backend.zookeeper;

import java.util.List;

/**
 * One of the places of an attempt, as a look shows it.
 *
 * @param node the node at this place
 * @param listing the queue
 * @param position its position in the queue
 * @param predecessors what the contender has seen before it
 */
record QueuePlace(OwnQueueNode node, QueueListing listing, QueuePosition position, QueuePredecessors predecessors) {

	/**
	 * Return the cooldowns that the node may have to wait for.
	 */
	List<CooldownNode> cooldowns() {
		return this.position.relevant(this.listing.cooldowns());
	}

	/**
	 * Return this place if others keep the node from having the lock.
	 * @param departed the number of members of its group that are no longer in the queue
	 * but still count
	 */
	List<Blocked> blocked(int departed) {
		QueueBlockers blockers = this.position.blockers(departed);
		return (blockers != null) ? List.of(new Blocked(this.node, blockers)) : List.of();
	}

	/**
	 * A node that does not have the lock.
	 *
	 * @param node the node
	 * @param blockers what keeps it from having the lock
	 */
	record Blocked(OwnQueueNode node, QueueBlockers blockers) {
	}

}
