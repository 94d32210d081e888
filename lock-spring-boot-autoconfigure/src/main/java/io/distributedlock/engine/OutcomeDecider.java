package io.distributedlock.engine;

import java.time.Duration;

import io.distributedlock.InvalidLockRequestException;
import io.distributedlock.LockException;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.TickDoneException;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.ClockReading;
import io.distributedlock.spi.LeaseGrant;

/**
 * Decides what follows from the outcome of an attempt. The queue calls it with its
 * monitor held, which guards the field {@code failures}, and acts on the decision.
 */
final class OutcomeDecider {

	private static final Runnable NOTHING = () -> {
	};

	private final EngineParts parts;

	private final KeyQueue queue;

	// How many attempts in a row have ended with a fault.
	private int failures;

	OutcomeDecider(EngineParts parts, KeyQueue queue) {
		this.parts = parts;
		this.queue = queue;
	}

	/**
	 * Decide what follows from an outcome.
	 * @param since the moment from which a grant counts
	 */
	Decision decide(AcquireAttempt attempt, AttemptOutcome outcome, ClockReading since) {
		if (outcome instanceof AttemptOutcome.Granted granted) {
			return onGranted(attempt, granted.grant(), since);
		}
		if (outcome instanceof AttemptOutcome.Busy busy) {
			this.failures = 0;
			if (attempt.waiter().endsBusy()) {
				return new Decision.End(new ContendedKeysException(attempt.waiter().request().target().keys()),
						NOTHING);
			}
			return new Decision.Retry(LastOutcome.busy(busy.retryAfter(), this.parts.now()), busy.pollAfter(), NOTHING);
		}
		if (outcome instanceof AttemptOutcome.Done done) {
			return new Decision.End(exception(done, attempt.waiter()), NOTHING);
		}
		return onUnavailable(attempt, (AttemptOutcome.Unavailable) outcome);
	}

	private Decision onGranted(AcquireAttempt attempt, LeaseGrant grant, ClockReading since) {
		ResolvedRequest request = attempt.waiter().request();
		long now = this.parts.now();
		CohortGrant cohort = new CohortGrant(this.queue, grant, request.ttl(), since, now,
				this.parts.traits().leaseKind());
		DefaultLease lease = new DefaultLease(this.parts, request, cohort, now, grant.validUntil());
		if (lease.canBegin()) {
			this.failures = 0;
			return new Decision.Hold(lease);
		}
		Throwable why = new IllegalStateException("the answer came after the lease had run out");
		attempt.waiter().leftUnused(why);
		return retryAfterFault(why, () -> this.parts.reaper().giveBack(grant, request));
	}

	/**
	 * Return the exception of a waiter if the store has answered that its tick has run.
	 * The tick may have been granted to this very waiter without having run, which must
	 * then be reported.
	 */
	private LockException exception(AttemptOutcome.Done done, Waiter waiter) {
		String key = waiter.request().key();
		Throwable unused = waiter.unusedGrant();
		if (unused == null) {
			return new TickDoneException(key, done.tick());
		}
		return new LockUnavailableException("Whether '" + key + "' has run for the tick " + waiter.request().tick()
				+ " is unknown: the backend '" + this.parts.backend().name()
				+ "' has granted it or a later one, perhaps to an attempt of this request, which could not use it: "
				+ unused.getMessage(), unused);
	}

	private Decision onUnavailable(AcquireAttempt attempt, AttemptOutcome.Unavailable unavailable) {
		Waiter waiter = attempt.waiter();
		Runnable cleanUp = NOTHING;
		if (unavailable.sent()) {
			waiter.leftUnused(unavailable.cause());
			cleanUp = () -> abandon(attempt);
		}
		if (unavailable.cause() instanceof InvalidLockRequestException invalid) {
			return new Decision.End(invalid, cleanUp);
		}
		return retryAfterFault(unavailable.cause(), cleanUp);
	}

	private Decision retryAfterFault(Throwable why, Runnable cleanUp) {
		return new Decision.Retry(LastOutcome.fault(why, this.parts.now()), StoreFaultBackoff.delay(this.failures++),
				cleanUp);
	}

	/**
	 * Give up an attempt that was not answered in time. It may have been granted.
	 * @return why the waiter has no lease yet
	 */
	LastOutcome giveUp(AcquireAttempt overdue) {
		Throwable why = new IllegalStateException("no answer in time");
		overdue.waiter().leftUnused(why);
		return LastOutcome.fault(why, this.parts.now());
	}

	/**
	 * Abandon an attempt at the store that may have been granted, or may still be
	 * granted. Called without the monitor.
	 */
	void abandon(AcquireAttempt attempt) {
		ResolvedRequest request = attempt.waiter().request();
		this.parts.reaper().abandon(request.target(), attempt.ownerId(), request);
	}

	/**
	 * Give back a grant that arrived after its attempt had been given up. Called without
	 * the monitor.
	 */
	void giveBack(AcquireAttempt attempt, AttemptOutcome outcome) {
		if (outcome instanceof AttemptOutcome.Granted late) {
			this.parts.reaper().giveBack(late.grant(), attempt.waiter().request());
		}
	}

	/**
	 * What follows from an outcome.
	 */
	sealed interface Decision {

		/**
		 * The waiter gets a lease.
		 *
		 * @param lease the lease
		 */
		record Hold(DefaultLease lease) implements Decision {
		}

		/**
		 * The waiter ends without a lease.
		 *
		 * @param reason why
		 * @param cleanUp a step at the store that has to run first
		 */
		record End(LockException reason, Runnable cleanUp) implements Decision {
		}

		/**
		 * The head of the queue attempts again.
		 *
		 * @param lastOutcome the outcome with which waiters end if their time is over
		 * @param delay the time until the next attempt, if the head still waits then
		 * @param cleanUp a step at the store that has to run first
		 */
		record Retry(LastOutcome lastOutcome, Duration delay, Runnable cleanUp) implements Decision {
		}

	}

}
