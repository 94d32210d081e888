package io.distributedlock.engine;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.distributedlock.LockInfo;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.BackendConnection;
import io.distributedlock.spi.ClockReading;
import io.distributedlock.spi.CompletionCauses;
import io.distributedlock.spi.Contender;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.OwnerId;
import io.distributedlock.spi.Renewal;
import io.distributedlock.spi.RenewalOutcome;

/**
 * Contends for a key at the store on behalf of its queue: by one contender, which is kept
 * until it has been granted a lease or is not needed any more, and one attempt at a time.
 * <p>
 * The fields are guarded by the monitor of the queue, which callers of the methods that
 * are not private hold. What these return calls the store, and is run when it is not held
 * any more.
 */
final class KeyContention {

	private static final Logger logger = LoggerFactory.getLogger(KeyContention.class);

	private final EngineParts parts;

	private final LockTarget target;

	private final KeyQueue queue;

	private @Nullable AcquireAttempt inFlight;

	private @Nullable Contender contender;

	private @Nullable BackendConnection contendedBy;

	private boolean lookingUp;

	KeyContention(EngineParts parts, LockTarget target, KeyQueue queue) {
		this.parts = parts;
		this.target = target;
		this.queue = queue;
	}

	/**
	 * Return whether no attempt is under way.
	 */
	boolean isIdle() {
		return this.inFlight == null;
	}

	/**
	 * Begin an attempt. The queue is given its outcome by
	 * {@link KeyQueue#conclude(AcquireAttempt, AttemptOutcome, ClockReading)}.
	 * @param tokens how many tokens to reserve
	 * @param mayBlock whether the thread that is going to send it is the waiter's own
	 * @return sends it
	 */
	Runnable begin(Waiter head, int tokens, boolean mayBlock) {
		AcquireAttempt attempt = new AcquireAttempt(head, OwnerId.random(), ClockReading.now(this.parts.clock()));
		LeaseRequest request = attempt.leaseRequest(tokens, mayBlock);
		this.inFlight = attempt;
		return () -> this.parts.calls()
			.attempt(() -> contender(attempt).attempt(request), (outcome) -> onOutcome(attempt, outcome));
	}

	/**
	 * End the attempt that is under way with its outcome.
	 * @return {@code false} if it was given up as overdue; another one may have taken its
	 * place
	 */
	boolean end(AcquireAttempt attempt) {
		if (!attempt.equals(this.inFlight)) {
			return false;
		}
		this.inFlight = null;
		return true;
	}

	/**
	 * Give up the attempt that is under way if the store has let it wait for far too
	 * long. Its contender has to go with it: an answer that comes all the same must not
	 * put another place in line beside that of the next attempt.
	 * @return the attempt, or {@code null} if none is overdue
	 */
	@Nullable AcquireAttempt takeOverdue() {
		AcquireAttempt attempt = this.inFlight;
		if (attempt == null || !attempt.isOverdue(this.parts.now())) {
			return null;
		}
		this.inFlight = null;
		return attempt;
	}

	/**
	 * Ask the store who holds the key, unless that is asked already. The queue is given
	 * the answer by {@link KeyQueue#lookedUp}, and then ends the look-up.
	 * @return sends the question
	 */
	Runnable lookUp() {
		if (this.lookingUp) {
			return () -> {
			};
		}
		this.lookingUp = true;
		return () -> this.parts.calls()
			.call((store) -> store.find(this.target.key()))
			.whenComplete((found, failure) -> {
				long now = this.parts.now();
				LastOutcome outcome = (failure != null) ? LastOutcome.fault(CompletionCauses.unwrap(failure), now)
						: LastOutcome.busy(found.map(LockInfo::remaining).orElse(null), now);
				this.queue.lookedUp(outcome, failure == null && found.isEmpty());
			});
	}

	void endLookup() {
		this.lookingUp = false;
	}

	/**
	 * Take note that the contender has been granted a lease, and is used up by that.
	 */
	void granted() {
		this.contender = null;
	}

	/**
	 * Part with the contender, if there is one.
	 * @return withdraws it
	 */
	Runnable withdraw() {
		Contender unused = this.contender;
		this.contender = null;
		return () -> withdraw(unused);
	}

	private static void withdraw(@Nullable Contender unused) {
		try {
			if (unused != null) {
				unused.withdraw();
			}
		}
		catch (Throwable ex) {
			logger.warn("A contender could not withdraw", ex);
		}
	}

	private Contender contender(AcquireAttempt attempt) {
		BackendConnection connection = this.parts.calls().connection();
		synchronized (this.queue) {
			// The contender of a connection that a stop has closed can't ask any more.
			if (this.contender != null && this.contendedBy == connection && attempt.equals(this.inFlight)) {
				return this.contender;
			}
		}
		Contender created = connection.contend(this.target, this::wakeUp);
		synchronized (this.queue) {
			if (attempt.equals(this.inFlight)) {
				this.contender = created;
				this.contendedBy = connection;
				return created;
			}
		}
		// A contender that the queue does not know could never be withdrawn.
		withdraw(created);
		throw new IllegalStateException("The attempt was given up before it was made");
	}

	/**
	 * Run by the store, whose other waiters and subscriptions are not to suffer from what
	 * goes wrong here.
	 */
	private void wakeUp() {
		try {
			this.queue.wakeUp();
		}
		catch (Throwable ex) {
			logger.warn("The waiters for {} could not be woken", this.target, ex);
		}
	}

	private void onOutcome(AcquireAttempt attempt, AttemptOutcome outcome) {
		if (outcome instanceof AttemptOutcome.Unavailable unavailable) {
			this.parts.refusals().report("an acquisition", unavailable.cause());
		}
		if (outcome instanceof AttemptOutcome.Granted granted && isSuspect(attempt)) {
			confirm(attempt, granted.grant());
			return;
		}
		this.queue.conclude(attempt, outcome, attempt.sentAt());
	}

	private boolean isSuspect(AcquireAttempt attempt) {
		return attempt.sentAt().stoodStill(ClockReading.now(this.parts.clock()), attempt.waiter().request().ttl());
	}

	/**
	 * Ask the store whether a grant still stands: this machine may have stood still while
	 * the answer was under way.
	 */
	private void confirm(AcquireAttempt attempt, LeaseGrant grant) {
		ClockReading sentAt = ClockReading.now(this.parts.clock());
		ResolvedRequest request = attempt.waiter().request();
		this.parts.renewals().ask(new Renewal(grant, request.ttl()), sentAt).thenAccept((outcome) -> {
			if (outcome instanceof RenewalOutcome.Renewed renewed) {
				this.queue.conclude(attempt, new AttemptOutcome.Granted(grant.renewed(renewed.validUntil())), sentAt);
			}
			else {
				// What was granted may have been asked for by an earlier attempt, whose
				// owner id nobody abandons.
				this.parts.reaper().giveBack(grant, request);
				this.queue.conclude(attempt, new AttemptOutcome.Unavailable(new IllegalStateException(
						"this machine stood still while the answer was under way, and the lease was not confirmed"),
						true), sentAt);
			}
		});
	}

}
