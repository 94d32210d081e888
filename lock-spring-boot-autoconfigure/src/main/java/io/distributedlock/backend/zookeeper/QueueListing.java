package io.distributedlock.backend.zookeeper;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

import io.distributedlock.LockMode;
import io.distributedlock.LockUnavailableException;

/**
 * The state of a lock in one listing of its node. The first in the queue has the lock,
 * together with others of its group, provided that no cooldown is left.
 * <p>
 * Names that begin with a dot are ignored, so that later versions can have nodes that do
 * not affect the holder. Any other unknown name may be a queue node of a later version.
 * The lock then counts as taken.
 *
 * @param queue the nodes in the queue, the first one first
 * @param ticks the ticks, the latest one first
 * @param cooldowns the cooldowns, including those that are over
 * @param unknown the names that this version does not know
 */
record QueueListing(List<QueueNode> queue, List<TickNode> ticks, List<CooldownNode> cooldowns, List<String> unknown) {

	static QueueListing of(List<String> names) {
		List<QueueNode> queue = new ArrayList<>();
		List<TickNode> ticks = new ArrayList<>(0);
		List<CooldownNode> cooldowns = new ArrayList<>(0);
		List<String> unknown = new ArrayList<>(0);
		for (String name : names) {
			boolean known = name.startsWith(".") || addUnlessNull(queue, QueueNode.parse(name))
					|| addUnlessNull(ticks, TickNode.parse(name)) || addUnlessNull(cooldowns, CooldownNode.parse(name));
			if (!known) {
				unknown.add(name);
			}
		}
		queue.sort(QueueNode.ORDER);
		ticks.sort(Comparator.comparingLong(TickNode::millis).reversed());
		return new QueueListing(queue, ticks, cooldowns, unknown);
	}

	private static <T> boolean addUnlessNull(List<T> list, @Nullable T element) {
		return element != null && list.add(element);
	}

	/**
	 * Return the reason why this version can't determine the holder.
	 * @param key the key
	 * @return the reason, or {@code null} if all names are known
	 */
	@Nullable LockUnavailableException takenByUnknown(String key) {
		return this.unknown.isEmpty() ? null
				: new LockUnavailableException("The lock on '" + key
						+ "' counts as taken: its node in ZooKeeper has the child '" + this.unknown.get(0)
						+ "', which this version of the library does not know. It may be the place of a later version");
	}

	/**
	 * Return the first node and, if it belongs to a group, the nodes of that group up to
	 * the first one of another mode.
	 */
	List<QueueNode> head() {
		if (this.queue.isEmpty()) {
			return List.of();
		}
		LockMode mode = this.queue.get(0).mode();
		int end = 1;
		while (mode != LockMode.EXCLUSIVE && end < this.queue.size() && this.queue.get(end).mode() == mode) {
			end++;
		}
		return this.queue.subList(0, end);
	}

	/**
	 * Return whether a node of another mode waits behind a node.
	 * @param which whether such a node counts
	 */
	boolean isWantedBehind(OwnQueueNode node, Predicate<QueueNode> which) {
		LockMode mode = PlaceIds.modeOf(node.id());
		return this.queue.stream()
			.skip(placeOf(node.name()) + 1L)
			.anyMatch((other) -> other.mode() != mode && which.test(other));
	}

	/**
	 * Return the nodes of the same attempt other than the one that is used.
	 */
	List<QueueNode> othersOf(OwnQueueNode used) {
		List<QueueNode> others = new ArrayList<>(0);
		for (QueueNode node : this.queue) {
			if (node.id().equals(used.id()) && !node.name().equals(used.name())) {
				others.add(node);
			}
		}
		return others;
	}

	@Nullable TickNode latestTick() {
		return this.ticks.isEmpty() ? null : this.ticks.get(0);
	}

	boolean contains(String name) {
		return placeOf(name) < this.queue.size();
	}

	/**
	 * Return the position of a node.
	 * @param name the name of the node, which is in the queue
	 * @param permits the permits of its request
	 */
	QueuePosition position(String name, LockMode mode, int permits) {
		return new QueuePosition(this.queue.subList(0, placeOf(name)), mode, permits);
	}

	private int placeOf(String name) {
		int place = 0;
		while (place < this.queue.size() && !this.queue.get(place).name().equals(name)) {
			place++;
		}
		return place;
	}

}
