package io.distributedlock.engine;

import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * The waiters of a key in the order in which they came, any of which may leave at any
 * time. Guarded by the monitor of the key's queue; a waiter's own end is not, so that
 * those that have ended are passed over and dropped here.
 */
final class WaitLine {

	private final Set<Waiter> waiters = new LinkedHashSet<>();

	void add(Waiter waiter) {
		this.waiters.add(waiter);
	}

	void remove(Waiter waiter) {
		this.waiters.remove(waiter);
	}

	boolean contains(Waiter waiter) {
		return this.waiters.contains(waiter);
	}

	/**
	 * Return whether nobody came before a waiter, ended or not.
	 */
	boolean startsWith(Waiter waiter) {
		return !this.waiters.isEmpty() && this.waiters.iterator().next() == waiter;
	}

	/**
	 * Return the first one that still waits.
	 */
	@Nullable Waiter head() {
		for (Iterator<Waiter> iterator = this.waiters.iterator(); iterator.hasNext();) {
			Waiter waiter = iterator.next();
			if (waiter.isWaiting()) {
				return waiter;
			}
			iterator.remove();
		}
		return null;
	}

	/**
	 * Return how many behind the head could take over its lease without the store.
	 */
	int successors() {
		return (this.waiters.size() < 2) ? 0
				: (int) this.waiters.stream().skip(1).filter((waiter) -> waiter.acquisition().canTakeOver()).count();
	}

	/**
	 * Return those whose wait time is over, in their order.
	 */
	List<Waiter> over() {
		return this.waiters.stream().filter(Waiter::isOver).toList();
	}

	List<Waiter> toList() {
		return List.copyOf(this.waiters);
	}

}
