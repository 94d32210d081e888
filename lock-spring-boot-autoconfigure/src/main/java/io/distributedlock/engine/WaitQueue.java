package io.distributedlock.engine;

import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.distributedlock.LockException;

/**
 * The waiters of a key in order of arrival, and the last outcome, with which waiters end
 * when their time is over. Any waiter may leave at any time. Guarded by the monitor of
 * the key's queue; since a waiter may end without that monitor, waiters that have ended
 * are skipped and removed here.
 */
final class WaitQueue {

	private static final Runnable NOTHING = () -> {
	};

	private final BackendLabel backend;

	// The ends of a list that is linked by the waiters themselves: nearly every queue has
	// a single waiter, for which a collection would cost more than the waiter.
	private @Nullable Waiter first;

	private @Nullable Waiter last;

	private @Nullable LastOutcome lastOutcome;

	WaitQueue(BackendLabel backend) {
		this.backend = backend;
	}

	void add(Waiter waiter) {
		waiter.queued = true;
		waiter.before = this.last;
		if (this.last != null) {
			this.last.behind = waiter;
		}
		else {
			this.first = waiter;
		}
		this.last = waiter;
	}

	void remove(Waiter waiter) {
		if (!waiter.queued) {
			return;
		}
		Waiter before = waiter.before;
		Waiter behind = waiter.behind;
		if (before != null) {
			before.behind = behind;
		}
		else {
			this.first = behind;
		}
		if (behind != null) {
			behind.before = before;
		}
		else {
			this.last = before;
		}
		waiter.queued = false;
		waiter.before = null;
		waiter.behind = null;
	}

	boolean contains(Waiter waiter) {
		return waiter.queued;
	}

	/**
	 * Return whether a waiter is the first one of this queue, including those that have
	 * ended.
	 */
	boolean startsWith(Waiter waiter) {
		return this.first == waiter;
	}

	/**
	 * Return the first waiter that is still waiting.
	 */
	@Nullable Waiter head() {
		Waiter head = this.first;
		while (head != null && !head.isWaiting()) {
			remove(head);
			head = this.first;
		}
		return head;
	}

	/**
	 * Return how many waiters behind the head could use its grant without asking the
	 * store.
	 */
	int successors() {
		Waiter head = this.first;
		if (head == null) {
			return 0;
		}
		int count = 0;
		for (Waiter waiter = head.behind; waiter != null; waiter = waiter.behind) {
			boolean sameMode = waiter.request().mode() == head.request().mode();
			count += (sameMode && waiter.request().canTakeOver()) ? 1 : 0;
		}
		return count;
	}

	/**
	 * Return whether the time of any waiter except the head is over.
	 */
	boolean isAnyOverBehind(@Nullable Waiter head) {
		for (Waiter waiter = this.first; waiter != null; waiter = waiter.behind) {
			if (waiter.isOver() && waiter != head) {
				return true;
			}
		}
		return false;
	}

	List<Waiter> toList() {
		List<Waiter> waiters = new ArrayList<>();
		for (Waiter waiter = this.first; waiter != null; waiter = waiter.behind) {
			waiters.add(waiter);
		}
		return waiters;
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
		List<Waiter> ended = null;
		for (Waiter waiter = this.first; waiter != null; waiter = waiter.behind) {
			if (waiter.isOver() && waiter != except && outcome.countsFor(waiter)) {
				ended = (ended != null) ? ended : new ArrayList<>();
				ended.add(waiter);
			}
		}
		if (ended == null) {
			return NOTHING;
		}
		List<Waiter> leaving = ended;
		leaving.forEach(this::remove);
		return () -> leaving.forEach((waiter) -> waiter.fail(outcome.exception(waiter.request(), this.backend)));
	}

}
