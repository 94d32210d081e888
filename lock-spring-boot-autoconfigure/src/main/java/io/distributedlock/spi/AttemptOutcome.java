package io.distributedlock.spi;

import java.time.Duration;
import java.time.Instant;

import org.jspecify.annotations.Nullable;

import io.distributedlock.LockRequest;

/**
 * The outcome of an attempt.
 *
 * @since 0.1.0
 */
public sealed interface AttemptOutcome {

	/**
	 * The lock was granted.
	 *
	 * @param grant the grant
	 */
	record Granted(LeaseGrant grant) implements AttemptOutcome {
	}

	/**
	 * The lock has another holder, or is not available yet. At the store the attempt has
	 * left at most a place in the queue or a mark. A store of several servers may still
	 * be giving back what the attempt had at a few of them.
	 *
	 * @param retryAfter what is left of the holder's lease, if known
	 * @param pollAfter the longest time until the next attempt if no wake-up comes
	 * before; the engine bounds it by the wait time
	 */
	record Busy(@Nullable Duration retryAfter, Duration pollAfter) implements AttemptOutcome {

		private static final Duration SHORTEST_PAUSE = Duration.ofMillis(1);

		private static final Duration LONGEST_PAUSE = Duration.ofMinutes(1);

		/**
		 * Create an outcome. Values from the store are not trusted, since its clock may
		 * have been set. The rest of the lease is limited to the range from zero to
		 * {@link LockRequest#MAX_HOLD_TIME}, the pause to the range from a millisecond to
		 * a minute.
		 */
		public Busy {
			if (retryAfter != null) {
				retryAfter = between(Duration.ZERO, retryAfter, LockRequest.MAX_HOLD_TIME);
			}
			pollAfter = between(SHORTEST_PAUSE, pollAfter, LONGEST_PAUSE);
		}

		private static Duration between(Duration least, Duration value, Duration most) {
			Duration atLeast = (value.compareTo(least) < 0) ? least : value;
			return (atLeast.compareTo(most) > 0) ? most : atLeast;
		}

	}

	/**
	 * The tick has run.
	 *
	 * @param tick the latest tick that is certain to have run, not before the requested
	 * one. With several nodes a majority has to know it, so it may be an earlier one
	 * while a release is under way to some of them
	 * @param latest the latest tick that any part of the store has named in this answer,
	 * not before {@code tick}; with several nodes it may belong to an attempt without a
	 * majority
	 */
	record Done(Instant tick, Instant latest) implements AttemptOutcome {

		/**
		 * Create the outcome of a store that knows only one tick.
		 * @param tick the latest tick that has run
		 */
		public Done(Instant tick) {
			this(tick, tick);
		}

	}

	/**
	 * The store could not be asked, or did not answer.
	 *
	 * @param cause the failure
	 * @param sent whether a request may have reached the store; if so, its outcome is
	 * unknown and the owner id has to be {@linkplain BackendConnection#abandon abandoned}
	 */
	record Unavailable(Throwable cause, boolean sent) implements AttemptOutcome {
	}

}
