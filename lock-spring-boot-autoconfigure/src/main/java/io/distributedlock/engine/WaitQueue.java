package io.distributedlock.engine;

import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import io.distributedlock.LockException;

/**
 * The waiters of a key in order of arrival, and the last outcome, with which waiters end
 * when their time is over. Any waiter may leave at any time. Guarded by the monitor of
 * the key's queue; since a waiter may end without that monitor, waiters that have ended
 * are skipped and removed here.
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
	 * Return whether a waiter is the first one of this queue, including those that have
	 * ended.
	 */
	boolean startsWith(Waiter waiter) {
		return !this.waiters.isEmpty() && this.waiters.iterator().next() == waiter;
	}

	/**
	 * Return the first waiter that is still waiting.
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
	 * Return how many waiters behind the head could take over its lease without asking
	 * the store.
	 */
	int successors() {
		return (this.waiters.size() < 2) ? 0
				: (int) this.waiters.stream().skip(1).filter((waiter) -> waiter.request().canTakeOver()).count();
	}

	/**
	 * Return whether the time of any waiter except the head is over.
	 */
	boolean isAnyOverBehind(@Nullable Waiter head) {
		return this.waiters.stream().anyMatch((waiter) -> waiter.isOver() && waiter != head);
	}

	List<Waiter> toList() {
		return List.copyOf(this.waiters);
	}

	/**
	 * Record an outcome unless a later one is known.
	 */
	void learnIfLater(LastOutcome outcome) {
		if (this.lastOutcome == null || outcome.at() - this.lastOutcome.at() > 0) {
			this.lastOutcome = outcome;
		}
	}

	/**
	 * Return the exception with which the last outcome ends a waiter, or {@code null} if
	 * it does not count for the waiter.
	 */
	@Nullable LockException reasonFor(Waiter waiter) {
		LastOutcome outcome = this.lastOutcome;
		return (outcome != null && outcome.countsFor(waiter)) ? outcome.exception(waiter.request(), this.backend)
				: null;
	}

	/**
	 * Record the last outcome, and remove the waiters that it ends: their time is over,
	 * and the outcome counts for them.
	 * @return a step that ends them, to be run when the monitor is not held
	 */
	Runnable learn(LastOutcome outcome) {
		return learn(outcome, null);
	}

	/**
	 * As {@link #learn(LastOutcome)}, except for one waiter.
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
