package io.distributedlock.epoch;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;

import io.distributedlock.LockRefusedException;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.BackendConnection;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LockClock;

/**
 * Decides which grants of a store reach the application.
 *
 * @param store the name of the store in errors
 * @param connection the connection to the store
 * @param epoch the epoch of this instance
 * @param clock the source of time
 * @param check makes sure that the store is at this epoch, if it can remember one
 */
record EpochGrants(String store, BackendConnection connection, TokenEpoch epoch, LockClock clock,
		@Nullable TokenEpochCheck check) {

	/**
	 * Let a grant pass with the epoch added. A grant is given back if it arrived when the
	 * epoch was no longer confirmed, or if the epoch can't be added to its tokens.
	 */
	CompletionStage<AttemptOutcome> settle(AttemptOutcome outcome) {
		if (!(outcome instanceof AttemptOutcome.Granted granted)) {
			return CompletableFuture.completedStage(outcome);
		}
		LeaseGrant grant = granted.grant();
		if (!this.epoch.fits(grant)) {
			return giveBack(grant, new LockRefusedException("The store '" + this.store + "' has granted '"
					+ grant.target().key() + "' with the token " + grant.token().last()
					+ ", to which 'lock.token-epoch' (" + this.epoch.value()
					+ ") can't be added: with an epoch, tokens of stores must be below 2^56. The lock was given back",
					null));
		}
		if (this.check != null && !this.check.isConfirmed()) {
			return giveBack(grant, tooLate(this.check, grant));
		}
		return CompletableFuture.completedStage(
				(this.epoch.value() > 0) ? new AttemptOutcome.Granted(this.epoch.toApplication(grant)) : granted);
	}

	/**
	 * Let a grant pass if the store was at the epoch of this instance when it granted it.
	 * @param found the verdict about the store's epoch
	 */
	CompletionStage<AttemptOutcome> settle(AttemptOutcome.Granted granted, EpochVerdict found) {
		return (found instanceof EpochVerdict.Confirmed) ? settle(granted) : giveBack(granted.grant(), failure(found));
	}

	private LockUnavailableException tooLate(TokenEpochCheck current, LeaseGrant grant) {
		EpochVerdict.Refused refused = current.refused();
		return (refused != null) ? refused.failure(this.store, this.epoch)
				: new LockUnavailableException("The store '" + this.store + "' has granted '" + grant.target().key()
						+ "' so late that its token epoch may have been raised since it was last confirmed. The lock"
						+ " was given back");
	}

	/**
	 * Release a grant immediately. The engine also abandons its owner id, regardless of
	 * the result.
	 */
	private CompletionStage<AttemptOutcome> giveBack(LeaseGrant grant, Throwable reason) {
		return this.connection.release(grant, Duration.ZERO)
			.handle((stood, failure) -> new AttemptOutcome.Unavailable(reason, true));
	}

	/**
	 * Return the exception of an attempt that a verdict does not let pass.
	 */
	Throwable failure(EpochVerdict verdict) {
		if (verdict instanceof EpochVerdict.Refused refused) {
			return refused.failure(this.store, this.epoch);
		}
		if (verdict instanceof EpochVerdict.Raising raising) {
			return raising.failure(this.store, this.epoch, this.clock.nanoTime());
		}
		return ((EpochVerdict.Unknown) verdict).cause();
	}

}
