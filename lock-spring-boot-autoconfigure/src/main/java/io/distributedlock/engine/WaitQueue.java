package io.distributedlock.engine;

import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import io.distributedlock.LockException;

/**
 * The waiters of a key in the order in which they came, any of which may leave at any
 * time, and the last outcome, with which those end whose time is over. Guarded by the
 * monitor of the key's queue; a waiter's own end is not, so that those that have ended
 * are passed over and dropped here.
 */
final class WaitQueue {

	private final BackendLabel backend;

	private final Set<Waiter> waiters = new LinkedHashSet<>();

	private @Nullable LastOutcome lastOutcome;

	WaitQueue(BackendLabel backend) {
		this.backend = backend;
	}

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
				: (int) this.waiters.stream().skip(1).filter((waiter) -> waiter.request().canTakeOver()).count();
	}

	/**
	 * Return whether the time of any waiter but the head is over.
	 */
	boolean isAnyOverBehind(@Nullable Waiter head) {
		return this.waiters.stream().anyMatch((waiter) -> waiter.isOver() && waiter != head);
	}

	List<Waiter> toList() {
		return List.copyOf(this.waiters);
	}

	/**
	 * Take note of an outcome unless a later one is known.
	 */
	void learnIfLater(LastOutcome outcome) {
		if (this.lastOutcome == null || outcome.at() - this.lastOutcome.at() > 0) {
			this.lastOutcome = outcome;
		}
	}

	/**
	 * Return how a waiter ends by the last outcome, or {@code null} if that does not
	 * count for it.
	 */
	@Nullable LockException reasonFor(Waiter waiter) {
		LastOutcome outcome = this.lastOutcome;
		return (outcome != null && outcome.countsFor(waiter)) ? outcome.exception(waiter.request(), this.backend)
				: null;
	}

	/**
	 * Take note of the last outcome, and remove those whose time is over and for whom it
	 * counts.
	 * @return lets them end; to be run when the monitor is not held
	 */
	Runnable learn(LastOutcome outcome) {
		return learn(outcome, null);
	}

	/**
	 * Do so for all but one waiter.
	 * @param except a waiter that stays
	 */
	Runnable learn(LastOutcome outcome, @Nullable Waiter except) {
		this.lastOutcome = outcome;
		List<Waiter> ended = this.waiters.stream()
			.filter((waiter) -> waiter.isOver() && waiter != except && outcome.countsFor(waiter))
			.toList();
		ended.forEach(this.waiters::remove);
		return () -> ended.forEach((waiter) -> waiter.fail(outcome.exception(waiter.request(), this.backend)));
	}

}
