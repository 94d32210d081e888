package io.distributedlock.backend.notification;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

import org.jspecify.annotations.Nullable;

/**
 * Delay before one waiter polls a busy lock again. Jitter keeps waiters from polling in
 * step.
 * <ul>
 * <li>A {@linkplain #notified notified} waiter polls when the holder's lease runs out,
 * because the expiry of a lease is not published. It also polls in case a notification
 * was lost.</li>
 * <li>Other waiters poll at {@linkplain #unnotified(Duration) growing intervals}.</li>
 * <li>If the store knows for how long the lock has been held, the intervals
 * {@linkplain #unnotified(Duration, Duration) depend on that time} instead. Short-held
 * locks are polled often, and long-held ones rarely.</li>
 * </ul>
 * Public for the stores only.
 *
 * @since 0.1.0
 */
public final class PollDelay {

	/**
	 * The longest delay of a notified waiter, and so the longest delay that a lost
	 * notification can cause.
	 */
	public static final Duration LONGEST_NOTIFIED = Duration.ofSeconds(5);

	/**
	 * How long the mark of a notified waiter stays. It is longer than the longest delay.
	 * It is always the same, so that no mark shortens another one.
	 */
	public static final Duration MARK = Duration.ofSeconds(6);

	private static final Duration SHORTEST = Duration.ofMillis(20);

	/**
	 * The longest delay of a waiter that is not notified.
	 */
	public static final Duration LONGEST_UNNOTIFIED = Duration.ofSeconds(1);

	private static final Duration JITTER = Duration.ofMillis(50);

	private static final int LAST_STEP = 6;

	private final Supplier<? extends RandomGenerator> random;

	// Two threads may change these fields at the same time, because an attempt that has
	// timed out may end while a later one does. One of them then decides how long the
	// next delay is.
	private final AtomicInteger step = new AtomicInteger();

	private volatile @Nullable Duration planned;

	/**
	 * Create the delay of one waiter.
	 */
	public PollDelay() {
		this(ThreadLocalRandom::current);
	}

	/**
	 * Create the delay of one waiter.
	 * @param random the generator of the calling thread
	 */
	public PollDelay(Supplier<? extends RandomGenerator> random) {
		this.random = random;
	}

	/**
	 * Return the delay of a waiter that is notified of releases.
	 * @param rest the remaining time of the holder's lease
	 * @return the delay
	 */
	public Duration notified(Duration rest) {
		return shorter(rest.plusNanos(1 + below(JITTER.toNanos())), LONGEST_NOTIFIED);
	}

	/**
	 * Return the next delay of a waiter that is not notified. It grows with each call.
	 * @param rest the remaining time of the holder's lease
	 * @return the delay
	 */
	public Duration unnotified(Duration rest) {
		int current = this.step.getAndUpdate((before) -> Math.min(before + 1, LAST_STEP));
		return shorter(rest.plusMillis(1), atRandom(shorter(SHORTEST.multipliedBy(1L << current), LONGEST_UNNOTIFIED)));
	}

	/**
	 * Return the next delay of a waiter that is not notified, for a lock whose age is
	 * known.
	 * @param rest the remaining time of the holder's lease, which the delay never exceeds
	 * @param age for how long the lock has been held
	 * @return the delay, at most the {@linkplain #planned() planned} one
	 */
	public Duration unnotified(Duration rest, Duration age) {
		Duration delay = shorter(rest, shorter(planned(), ofAge(age)));
		this.planned = ofAge(age.plus(delay));
		return delay;
	}

	/**
	 * Return the maximum of the next delay. It is known before the answer that the delay
	 * follows, so that a mark can contain the time when its waiter polls again.
	 * @return the longest delay
	 */
	public Duration planned() {
		Duration current = this.planned;
		if (current == null) {
			current = ofAge(Duration.ZERO);
			this.planned = current;
		}
		return current;
	}

	/**
	 * Return a sixth to a third of the time for which the lock has been held, within the
	 * limits of all delays. A lock that is released for a polling waiter is unused for no
	 * longer than that.
	 * @param age for how long the lock has been held
	 * @return the delay, in whole milliseconds as in marks
	 */
	public Duration ofAge(Duration age) {
		Duration most = shorter(age.dividedBy(3), LONGEST_UNNOTIFIED);
		return Duration.ofMillis(atRandom((most.compareTo(SHORTEST) < 0) ? SHORTEST : most).toMillis());
	}

	private Duration atRandom(Duration most) {
		long half = most.toNanos() / 2;
		return Duration.ofNanos(half + below(half));
	}

	private long below(long bound) {
		return this.random.get().nextLong(bound);
	}

	private static Duration shorter(Duration one, Duration other) {
		return (one.compareTo(other) < 0) ? one : other;
	}

}
