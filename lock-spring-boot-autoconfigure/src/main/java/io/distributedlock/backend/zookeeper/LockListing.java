package io.distributedlock.backend.zookeeper;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

/**
 * What one listing shows of a lock. Whoever is first in line has the lock, once no
 * cooldown is left. What is not ours is left out.
 *
 * @param line the places in line, the first one first
 * @param ticks the ticks, the latest one first
 * @param cooldowns the cooldowns, those that are over included
 */
record LockListing(List<LineNode> line, List<TickNode> ticks, List<CooldownNode> cooldowns) {

	static LockListing of(List<String> names) {
		List<LineNode> line = new ArrayList<>();
		List<TickNode> ticks = new ArrayList<>(0);
		List<CooldownNode> cooldowns = new ArrayList<>(0);
		for (String name : names) {
			addUnlessNull(line, LineNode.parse(name));
			addUnlessNull(ticks, TickNode.parse(name));
			addUnlessNull(cooldowns, CooldownNode.parse(name));
		}
		line.sort(LineNode.ORDER);
		ticks.sort(Comparator.comparingLong(TickNode::millis).reversed());
		return new LockListing(line, ticks, cooldowns);
	}

	private static <T> void addUnlessNull(List<T> list, @Nullable T element) {
		if (element != null) {
			list.add(element);
		}
	}

	Optional<LineNode> first() {
		return this.line.stream().findFirst();
	}

	@Nullable TickNode latestTick() {
		return this.ticks.isEmpty() ? null : this.ticks.get(0);
	}

	boolean contains(String name) {
		return this.line.stream().anyMatch((node) -> node.name().equals(name));
	}

	/**
	 * Return all that are in line before a node.
	 */
	List<LineNode> allBefore(String name) {
		return this.line.stream().takeWhile((node) -> !node.name().equals(name)).toList();
	}

	/**
	 * Return who is in line right before a node.
	 * @param name the name of the node, which is in line
	 * @return the one before, or {@code null} if the node is the first
	 */
	@Nullable LineNode before(String name) {
		LineNode before = null;
		for (LineNode node : this.line) {
			if (node.name().equals(name)) {
				return before;
			}
			before = node;
		}
		return before;
	}

}
