package io.distributedlock.contract;

import java.time.Duration;
import java.util.TreeSet;
import java.util.concurrent.locks.ReentrantLock;

import org.jspecify.annotations.Nullable;

import io.distributedlock.spi.LockClock;

/**
 * A clock that stands still until a test moves it. Tasks run on the thread that moves it,
 * in the order of their times. Tasks with the same time run in the order in which they
 * were scheduled. While a task runs, the clock shows its time.
 * <p>
 * May be read, and scheduled on, by any thread. Moves by several threads follow one after
 * the other.
 *
 * @since 0.1.0
 */
public final class VirtualLockClock implements LockClock {

	// Far from zero on both clocks, so that code that confuses them is detected.
	private static final long START_NANOS = Duration.ofDays(3).toNanos();

	private static final long START_MILLIS = Duration.ofDays(20_000).toMillis();

	// Held for a whole move, so that tasks run one at a time and in order. Taken before
	// the monitor, never inside it.
	private final ReentrantLock mover = new ReentrantLock();

	// The monitor of this clock guards all fields below. No task runs inside it.
	private final TreeSet<Task> tasks = new TreeSet<>();

	private long nanos = START_NANOS;

	private long wallOffsetMillis = START_MILLIS;

	private long lastSerial;

	@Override
	public synchronized long nanoTime() {
		return this.nanos;
	}

	@Override
	public synchronized long wallMillis() {
		return this.wallOffsetMillis + Duration.ofNanos(this.nanos - START_NANOS).toMillis();
	}

	@Override
	public synchronized Timeout schedule(Duration delay, Runnable task) {
		long at = this.nanos + Math.max(0, delay.toNanos());
		Task scheduled = new Task(at, ++this.lastSerial, task);
		this.tasks.add(scheduled);
		return () -> cancel(scheduled);
	}

	/**
	 * Move both clocks on and run the tasks that fall due, including those of this
	 * instant. An exception of a task ends the move at its time.
	 * @param duration by how much; zero runs the tasks that are due now
	 */
	public void advance(Duration duration) {
		if (this.mover.isHeldByCurrentThread()) {
			throw new IllegalStateException("A task of the clock can't move it");
		}
		this.mover.lock();
		try {
			long target = nanoTime() + duration.toNanos();
			for (Task task = next(target); task != null; task = next(target)) {
				task.action().run();
			}
		}
		finally {
			this.mover.unlock();
		}
	}

	/**
	 * Move the wall clock alone, as an administrator or a time server does.
	 * @param duration by how much, backwards if it is negative
	 */
	public synchronized void jumpWall(Duration duration) {
		this.wallOffsetMillis += duration.toMillis();
	}

	/**
	 * Suspend the machine: the wall clock continues, the monotonic clock stands still,
	 * and no task runs.
	 * @param duration for how long
	 */
	public void suspend(Duration duration) {
		if (duration.isNegative()) {
			throw new IllegalArgumentException("A machine can't be suspended for " + duration);
		}
		jumpWall(duration);
	}

	/**
	 * Return the number of scheduled tasks.
	 * @return the number
	 */
	public synchronized int pending() {
		return this.tasks.size();
	}

	/**
	 * Remove the next task that is due, and move to its time; without one, move to the
	 * target.
	 */
	private synchronized @Nullable Task next(long target) {
		Task task = (!this.tasks.isEmpty() && this.tasks.first().at() <= target) ? this.tasks.pollFirst() : null;
		this.nanos = (task != null) ? Math.max(this.nanos, task.at()) : target;
		return task;
	}

	private synchronized void cancel(Task task) {
		this.tasks.remove(task);
	}

	/**
	 * A task that is due at a time.
	 */
	private record Task(long at, long serial, Runnable action) implements Comparable<Task> {

		@Override
		public int compareTo(Task other) {
			int byTime = Long.compare(this.at, other.at);
			return (byTime != 0) ? byTime : Long.compare(this.serial, other.serial);
		}

	}

}
