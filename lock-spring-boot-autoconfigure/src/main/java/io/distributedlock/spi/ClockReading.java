package io.distributedlock.spi;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * A reading of both clocks at one moment. Leases are counted on the monotonic clock,
 * which can stand still while the machine is suspended. The wall clock keeps counting, so
 * it gains on the monotonic clock meanwhile. It may only end a validity, and never
 * lengthens one, because it can be set.
 * <p>
 * A reading that dates a request is taken before the request is sent, because the answer
 * is known to be true only from that moment on.
 *
 * @param nanoTime the monotonic clock, see {@link LockClock#nanoTime()}
 * @param wallMillis the wall clock, see {@link LockClock#wallMillis()}
 * @since 0.1.0
 */
public record ClockReading(long nanoTime, long wallMillis) {

	private static final long LEAST_GAIN = LockClock.LEAST_DRIFT_ALLOWANCE.toNanos();

	/**
	 * Read both clocks.
	 * @param clock the clocks
	 * @return the reading
	 */
	public static ClockReading now(LockClock clock) {
		return new ClockReading(clock.nanoTime(), clock.wallMillis());
	}

	/**
	 * Return the time that has passed since this reading, by the clock that counted more.
	 * A wall clock that was put back does not shorten it.
	 * @param clock the clocks
	 * @return the time
	 */
	public Duration age(LockClock clock) {
		ClockReading now = now(clock);
		return Duration.ofNanos(Math.max(now.nanoTime - this.nanoTime, wallNanos(now)));
	}

	/**
	 * Return by how much the wall clock gained on the monotonic clock between this
	 * reading and a later one.
	 * @param later the later reading
	 * @return the gain in nanoseconds, negative if the wall clock was put back
	 */
	public long gain(ClockReading later) {
		return wallNanos(later) - (later.nanoTime - this.nanoTime);
	}

	/**
	 * Return whether the machine stood still between this reading and a later one for
	 * longer than a validity of this length tolerates. This is the case if the wall clock
	 * gained more than the {@linkplain LockClock#driftAllowance drift allowance}. Every
	 * validity ends by just that time before the store's lease, so it can't outlast the
	 * lease because of a shorter standstill. The allowance also exceeds the natural drift
	 * of the two clocks in that time.
	 * @param later the later reading
	 * @param ttl the length of the validity that is counted from this reading
	 * @return {@code true} if a validity that was counted from this reading is unreliable
	 * until the store has confirmed it
	 */
	public boolean stoodStill(ClockReading later, Duration ttl) {
		long gain = gain(later);
		// Asked for each lease in each sweep, and nearly never so.
		return gain > LEAST_GAIN && gain > LockClock.driftAllowance(ttl).toNanos();
	}

	private long wallNanos(ClockReading later) {
		return TimeUnit.MILLISECONDS.toNanos(later.wallMillis - this.wallMillis);
	}

}
