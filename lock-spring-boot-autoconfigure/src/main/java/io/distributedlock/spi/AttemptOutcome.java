package io.distributedlock.spi;

import java.time.Duration;
import java.time.Instant;

import org.jspecify.annotations.Nullable;

import io.distributedlock.LockRequest;

/**
 * How an attempt ended.
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
	 * Somebody else has the lock, or nobody may have it yet. Nothing of the attempt is
	 * left at the store but a place in line or a mark.
	 *
	 * @param retryAfter what is left of the holder's lease, if known
	 * @param pollAfter when to attempt again at the latest if no wake-up comes before;
	 * the engine bounds it by the wait time
	 */
	record Busy(@Nullable Duration retryAfter, Duration pollAfter) implements AttemptOutcome {

		private static final Duration SHORTEST_PAUSE = Duration.ofMillis(1);

		private static final Duration LONGEST_PAUSE = Duration.ofMinutes(1);

		/**
		 * Create an outcome. A store may report anything, such as the rest of a lease by
		 * a clock that was set: the rest is brought between zero and
		 * {@link LockRequest#MAX_HOLD_TIME}, the pause between a millisecond and a
		 * minute.
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
	 * @param tick the latest tick that the store is certain has run, not before the
	 * wanted one. Of several nodes a majority has to know it, so that it may be an
	 * earlier one for as long as a release is under way to some of them
	 * @param latest the latest tick that any part of the store has named in this answer,
	 * not before the other one; of several nodes it may be that of an attempt which no
	 * majority has granted
	 */
	record Done(Instant tick, Instant latest) implements AttemptOutcome {

		/**
		 * Create the outcome of a store that has one word.
		 * @param tick the latest tick that has run
		 */
		public Done(Instant tick) {
			this(tick, tick);
		}

	}

	/**
	 * The store could not be asked, or did not answer.
	 *
	 * @param cause what went wrong
	 * @param sent whether a request may have reached the store, so that its outcome is
	 * unknown and the owner id has to be {@linkplain BackendConnection#abandon abandoned}
	 */
	record Unavailable(Throwable cause, boolean sent) implements AttemptOutcome {
	}

}
