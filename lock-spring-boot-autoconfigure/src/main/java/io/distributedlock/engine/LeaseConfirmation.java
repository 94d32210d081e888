package io.distributedlock.engine;

import java.time.Duration;
import java.util.concurrent.TimeoutException;

import io.distributedlock.InvalidLockRequestException;
import io.distributedlock.LockRefusedException;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.spi.ClockReading;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.Renewal;
import io.distributedlock.spi.RenewalOutcome;

/**
 * Has the store confirm or extend a lease for a caller that waits for the answer.
 */
final class LeaseConfirmation {

	private final BackendLabel backend;

	private final InFlightCalls calls;

	private final LockClock clock;

	private final RenewalCalls renewals;

	LeaseConfirmation(BackendLabel backend, InFlightCalls calls, LockClock clock, RenewalCalls renewals) {
		this.backend = backend;
		this.calls = calls;
		this.clock = clock;
		this.renewals = renewals;
	}

	/**
	 * Confirm a lease, or throw if it is not held or the store could not confirm it.
	 * @param ttl how long the store has to keep it at least, or zero only to ask
	 */
	void confirm(DefaultLease lease, Duration ttl) {
		long now = this.clock.nanoTime();
		if (!lease.expireIfOver(now) || !lease.isOpen()) {
			throw lease.notHeld();
		}
		RenewalOutcome outcome = renew(lease, lease.renewal(ttl, now));
		if (outcome instanceof RenewalOutcome.Unknown unknown) {
			throw unconfirmed(lease, unknown.cause());
		}
		if (!lease.isOpen()) {
			throw lease.notHeld();
		}
	}

	/**
	 * Renew a lease. If the outcome is unknown and this machine stood still meanwhile,
	 * the renewal is sent once more.
	 */
	private RenewalOutcome renew(DefaultLease lease, Renewal renewal) {
		ClockReading sentAt = ClockReading.now(this.clock);
		RenewalOutcome outcome = askAndWait(lease, renewal, sentAt);
		if (outcome instanceof RenewalOutcome.Unknown && hasStoodStill(renewal, sentAt)) {
			sentAt = ClockReading.now(this.clock);
			outcome = askAndWait(lease, renewal, sentAt);
		}
		lease.onRenewal(outcome, sentAt);
		return outcome;
	}

	private RenewalOutcome askAndWait(DefaultLease lease, Renewal renewal, ClockReading sentAt) {
		return this.calls.within(lease.request(), this.renewals.ask(renewal, sentAt),
				() -> new RenewalOutcome.Unknown(new TimeoutException("no answer in time")));
	}

	private boolean hasStoodStill(Renewal renewal, ClockReading sentAt) {
		return sentAt.stoodStill(ClockReading.now(this.clock), renewal.ttl());
	}

	private RuntimeException unconfirmed(DefaultLease lease, Throwable cause) {
		if (cause instanceof InvalidLockRequestException invalid) {
			return invalid;
		}
		String message = "The lease on " + lease.keys() + " could not be confirmed by the backend "
				+ this.backend.withAddress() + ": " + cause.getMessage();
		return (cause instanceof LockRefusedException) ? new LockRefusedException(message, cause)
				: new LockUnavailableException(message, cause);
	}

}
