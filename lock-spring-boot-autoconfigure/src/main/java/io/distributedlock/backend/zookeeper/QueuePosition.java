package io.distributedlock.backend.zookeeper;

import java.util.List;

import org.jspecify.annotations.Nullable;

import io.distributedlock.LockMode;

/**
 * The position of a node in the queue for a lock. An exclusive node has the lock if no
 * node is before it. A node of a group has it if no node of another mode is before it
 * and, with permits, fewer nodes of its own mode than its request has permits.
 * <p>
 * So a node waits for all nodes of other modes that were there before it, and a waiting
 * exclusive node keeps later readers out. The permits of other requests do not matter: of
 * all holders, the last one in the queue had fewer before it than its own number.
 *
 * @param before the nodes before it, the first one first
 * @param mode its mode
 * @param permits the permits of its request; only used if the mode is
 * {@link LockMode#PERMITS}
 */
record QueuePosition(List<QueueNode> before, LockMode mode, int permits) {

	/**
	 * Return whether nodes or cooldowns of another mode and of this one exclude each
	 * other.
	 */
	boolean excludes(LockMode other) {
		return this.mode == LockMode.EXCLUSIVE || other != this.mode;
	}

	/**
	 * Return the nodes before this one whose end it may wait for.
	 */
	List<QueueNode> rivals() {
		return (this.mode != LockMode.SHARED) ? this.before
				: this.before.stream().filter((node) -> excludes(node.mode())).toList();
	}

	/**
	 * Return the cooldowns that this node may have to wait for.
	 */
	List<CooldownNode> relevant(List<CooldownNode> cooldowns) {
		return (this.mode != LockMode.SHARED) ? cooldowns
				: cooldowns.stream().filter((cooldown) -> excludes(cooldown.mode())).toList();
	}

	/**
	 * Return what keeps this node from having the lock.
	 * @param departed the number of members of the own group that are no longer in the
	 * queue but still count
	 * @return the nodes it waits for, or {@code null} if it has the lock
	 */
	@Nullable QueueBlockers blockers(int departed) {
		for (int i = this.before.size() - 1; i >= 0; i--) {
			if (excludes(this.before.get(i).mode())) {
				return behind(i);
			}
		}
		int left = Math.max(0, this.permits - departed);
		if (this.mode != LockMode.PERMITS || this.before.size() < left) {
			return null;
		}
		List<QueueNode> first = this.before.subList(0, left);
		return new QueueBlockers(this.before.subList(this.before.size() - left, this.before.size()), first, first);
	}

	private QueueBlockers behind(int index) {
		QueueNode last = this.before.get(index);
		int from = index;
		while (from > 0 && last.mode() != LockMode.EXCLUSIVE && this.before.get(from - 1).mode() == last.mode()) {
			from--;
		}
		return new QueueBlockers(List.of(last), List.of(last), this.before.subList(from, index + 1));
	}

}
