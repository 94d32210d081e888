package io.distributedlock.spi;

import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;

/**
 * Provides the time to the engine and the backends of a JVM, so that tests can control
 * it.
 *
 * @since 0.1.0
 */
public interface LockClock {

	/**
	 * The {@linkplain #driftAllowance drift allowance} of the shortest TTL.
	 */
	Duration LEAST_DRIFT_ALLOWANCE = Duration.ofMillis(2);

	/**
	 * Return the monotonic time. Leases are counted on it.
	 * @return nanoseconds since an arbitrary origin; only differences are meaningful
	 */
	long nanoTime();

	/**
	 * Return the time of the wall clock. It is used to detect that the monotonic time
	 * stood still, to start tokens above those of earlier processes, and for times that
	 * are stored or displayed. It never lengthens a lease.
	 * @return milliseconds since 1970
	 */
	long wallMillis();

	/**
	 * Run a task later, on a thread that must not be blocked.
	 * @param delay the time from now on
	 * @param task the task
	 * @return a handle to cancel the task
	 */
	Timeout schedule(Duration delay, Runnable task);

	/**
	 * Run a task after a time, unless a stage has completed by then.
	 * @param stage the stage
	 * @param delay the time from now on
	 * @param task the task
	 */
	default void scheduleUnlessDone(CompletionStage<?> stage, Duration delay, Runnable task) {
		Timeout timeout = schedule(delay, task);
		stage.whenComplete((result, fault) -> timeout.cancel());
	}

	/**
	 * Block the calling thread for a time by this clock.
	 * @param duration the time from now on
	 * @throws InterruptedException if the thread is interrupted before
	 */
	default void sleep(Duration duration) throws InterruptedException {
		CountDownLatch over = new CountDownLatch(1);
		Timeout timeout = schedule(duration, over::countDown);
		try {
			over.await();
		}
		finally {
			timeout.cancel();
		}
	}

	/**
	 * Return the end of the validity of a lease that was requested with this TTL. The TTL
	 * is counted from before the request was sent, less the drift allowance of ttl / 100
	 * + 2 ms for clocks of different speed.
	 * @param sentAt {@link #nanoTime()} from before the request was sent
	 * @param ttl the TTL of the request
	 * @return the value of {@link #nanoTime()} at which the validity ends
	 */
	static long validUntil(long sentAt, Duration ttl) {
		return sentAt + ttl.toNanos() - driftAllowance(ttl).toNanos();
	}

	/**
	 * Return the TTL to request so that its {@linkplain #validUntil validity} is at least
	 * the given time.
	 * @param atLeast the time
	 * @return the TTL
	 */
	static Duration ttlFor(Duration atLeast) {
		return atLeast.plusMillis(3).multipliedBy(100).dividedBy(99);
	}

	/**
	 * Return by how much the clocks of a holder and its store may drift apart during a
	 * TTL.
	 * @param ttl the TTL
	 * @return the allowance
	 */
	static Duration driftAllowance(Duration ttl) {
		// Duration#dividedBy is slow, and this is part of each grant.
		return Duration.ofNanos(ttl.toNanos() / 100).plus(LEAST_DRIFT_ALLOWANCE);
	}

	/**
	 * A task that will run later.
	 */
	interface Timeout {

		/**
		 * Cancel the task, unless it has begun.
		 */
		void cancel();

	}

}
