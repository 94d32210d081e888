package io.distributedlock.backend.zookeeper;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

import io.distributedlock.LockUnavailableException;

/**
 * What one listing shows of a lock. Whoever is first in line has the lock, once no
 * cooldown is left.
 * <p>
 * Names that begin with a dot are left out, so that later versions may have nodes that do
 * not bear on who has the lock. All others that this version does not know may be places
 * of a later one: with them the lock counts as taken.
 *
 * @param line the places in line, the first one first
 * @param ticks the ticks, the latest one first
 * @param cooldowns the cooldowns, those that are over included
 * @param unknown the names that this version does not know
 */
record LockListing(List<LineNode> line, List<TickNode> ticks, List<CooldownNode> cooldowns, List<String> unknown) {

	static LockListing of(List<String> names) {
		List<LineNode> line = new ArrayList<>();
		List<TickNode> ticks = new ArrayList<>(0);
		List<CooldownNode> cooldowns = new ArrayList<>(0);
		List<String> unknown = new ArrayList<>(0);
		for (String name : names) {
			boolean known = name.startsWith(".") | addUnlessNull(line, LineNode.parse(name))
					| addUnlessNull(ticks, TickNode.parse(name)) | addUnlessNull(cooldowns, CooldownNode.parse(name));
			if (!known) {
				unknown.add(name);
			}
		}
		line.sort(LineNode.ORDER);
		ticks.sort(Comparator.comparingLong(TickNode::millis).reversed());
		return new LockListing(line, ticks, cooldowns, unknown);
	}

	private static <T> boolean addUnlessNull(List<T> list, @Nullable T element) {
		return element != null && list.add(element);
	}

	/**
	 * Return why this version can't tell who has the lock.
	 * @param key the key
	 * @return the reason, or {@code null} if all names are known
	 */
	@Nullable LockUnavailableException takenByUnknown(String key) {
		return this.unknown.isEmpty() ? null : new LockUnavailableException("The lock on '" + key
				+ "' counts as taken: its node in ZooKeeper has the child '" + this.unknown.get(0)
				+ "', which this version of the library does not know. It may be the place of a" + " later version");
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
