package io.distributedlock.engine;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.LockClock.Timeout;

/**
 * Keeps tasks that are nearly always cancelled before their time, such as the end of a
 * wait for an answer. The list is sorted by time. One timer serves all tasks: it is set
 * for the earliest one, and may find that one gone. So adding and cancelling a task
 * rarely touches the timer.
 * <p>
 * Tasks mostly have equal delays, so a new one belongs at the end of the list or close to
 * it. One that does not is refused.
 */
final class DeadlineList {

	private static final int MOST_STEPS = 16;

	private final LockClock clock;

	// The monitor of this object guards the fields below, and the links of the deadlines.
	// No task is run while it is held.
	private final Deadline ends = new Deadline(0, () -> {
	});

	private @Nullable Timeout timer;

	private long timerAt;

	DeadlineList(LockClock clock) {
		this.clock = clock;
		this.ends.before = this.ends;
		this.ends.behind = this.ends;
	}

	/**
	 * Run a task after a time.
	 * @return a handle to cancel the task, or {@code null} if it is to be scheduled by
	 * other means
	 */
	synchronized @Nullable Timeout add(Duration delay, Runnable task) {
		long now = this.clock.nanoTime();
		Deadline added = new Deadline(now + delay.toNanos(), task);
		Deadline before = this.ends.before;
		for (int steps = 0; before != this.ends && before.at - added.at > 0; steps++) {
			if (steps == MOST_STEPS) {
				return null;
			}
			before = before.before;
		}
		added.linkBehind(before);
		setTimer(now);
		return () -> cancel(added);
	}

	private synchronized void cancel(Deadline deadline) {
		deadline.unlink();
	}

	/**
	 * Set the timer for the first task, unless it is set for that time or an earlier one.
	 * If that fails, for example because this machine has no thread left, the list counts
	 * as having no timer: the next task sets it, and a timer that runs nevertheless
	 * serves the list.
	 */
	private synchronized void setTimer(long now) {
		long at = this.ends.behind.at;
		Timeout previous = this.timer;
		if (this.ends.behind == this.ends || (previous != null && at - this.timerAt >= 0)) {
			return;
		}
		this.timer = null;
		this.timerAt = at;
		this.timer = this.clock.schedule(Duration.ofNanos(Math.max(0, at - now)), () -> runDue(at));
		if (previous != null) {
			previous.cancel();
		}
	}

	/**
	 * Run the first task that is due. Each has a run of the timer of its own, so that no
	 * task depends on another one.
	 */
	private void runDue(long timerAt) {
		Deadline due = takeDue(timerAt);
		try {
			if (due != null) {
				SystemLockClock.runLogged(due.task);
			}
		}
		finally {
			setTimer(this.clock.nanoTime());
		}
	}

	private synchronized @Nullable Deadline takeDue(long timerAt) {
		if (this.timer != null && this.timerAt != timerAt) {
			// It was replaced too late to prevent this run.
			return null;
		}
		this.timer = null;
		Deadline first = this.ends.behind;
		if (first == this.ends || first.at - this.clock.nanoTime() > 0) {
			return null;
		}
		first.unlink();
		return first;
	}

	/**
	 * A task and its time, linked to its neighbors unless it was run or cancelled.
	 */
	private static final class Deadline {

		private final long at;

		private final Runnable task;

		private Deadline before = this;

		private Deadline behind = this;

		Deadline(long at, Runnable task) {
			this.at = at;
			this.task = task;
		}

		void linkBehind(Deadline predecessor) {
			this.before = predecessor;
			this.behind = predecessor.behind;
			this.behind.before = this;
			predecessor.behind = this;
		}

		void unlink() {
			this.before.behind = this.behind;
			this.behind.before = this.before;
			this.before = this;
			this.behind = this;
		}

	}

}
