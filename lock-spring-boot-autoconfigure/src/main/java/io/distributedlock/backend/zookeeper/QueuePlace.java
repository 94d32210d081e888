package io.distributedlock.backend.zookeeper;

import java.util.List;

import org.jspecify.annotations.Nullable;

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
	 * Return the places before this one that are gone with their sessions, whose former
	 * holders may still consider their leases valid.
	 */
	VacatedPlaces vacated(long now) {
		return new VacatedPlaces(this.position, this.predecessors.vacated(now));
	}

	/**
	 * Return this place if others keep it from having the lock.
	 * @param blockers the others, or {@code null}
	 */
	static List<Blocked> blocked(OwnQueueNode node, @Nullable QueueBlockers blockers) {
		return (blockers != null) ? List.of(new Blocked(node, blockers)) : List.of();
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
