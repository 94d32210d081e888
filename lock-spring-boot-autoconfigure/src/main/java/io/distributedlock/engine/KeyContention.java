package io.distributedlock.engine;

import java.security.SecureRandom;
import java.util.concurrent.TimeoutException;

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
import io.distributedlock.spi.Renewal;
import io.distributedlock.spi.RenewalOutcome;

/**
 * Contends for a key at the store on behalf of its queue, with one attempt at a time. The
 * contender is kept until it has been granted a lease or is no longer needed.
 * <p>
 * The fields are guarded by the monitor of the queue. Callers of the non-private methods
 * hold it. The steps that these methods return call the store, and are run after leaving
 * the monitor.
 */
final class KeyContention {

	private static final Logger logger = LoggerFactory.getLogger(KeyContention.class);

	private static final Runnable NOTHING = () -> {
	};

	private static final OwnerIds OWNER_IDS = new OwnerIds(new SecureRandom());

	private final EngineParts parts;

	private final KeyQueue queue;

	private @Nullable AcquireAttempt inFlight;

	private @Nullable Contender contender;

	private @Nullable BackendConnection contendedBy;

	// What the contender contends for: it has one mode, and waiters have several.
	private @Nullable LockTarget target;

	private boolean lookingUp;

	KeyContention(EngineParts parts, KeyQueue queue) {
		this.parts = parts;
		this.queue = queue;
	}

	/**
	 * Return whether no attempt is under way.
	 */
	boolean isIdle() {
		return this.inFlight == null;
	}

	/**
	 * Begin an attempt. Its outcome is passed to
	 * {@link KeyQueue#conclude(AcquireAttempt, AttemptOutcome, ClockReading)}.
	 * @param tokens how many tokens to reserve
	 * @param mayBlock whether the thread that sends the attempt is the waiter's own
	 * @param permit the permission of the circuit
	 * @return a step that sends the attempt
	 */
	Runnable begin(Waiter head, int tokens, boolean mayBlock, StoreCircuit.Permit permit) {
		ClockReading now = ClockReading.now(this.parts.clock());
		AcquireAttempt attempt = new AcquireAttempt(head, OWNER_IDS.next(now), now, permit);
		LeaseRequest request = attempt.leaseRequest(tokens, mayBlock);
		this.inFlight = attempt;
		return () -> this.parts.calls()
			.attempt(() -> contender(attempt).attempt(request), (outcome) -> onOutcome(attempt, outcome));
	}

	/**
	 * End the attempt that is under way with its outcome.
	 * @return {@code false} if it was given up as overdue; another attempt may be under
	 * way instead
	 */
	boolean end(AcquireAttempt attempt) {
		if (!attempt.equals(this.inFlight)) {
			return false;
		}
		this.inFlight = null;
		return true;
	}

	/**
	 * Give up the attempt that is under way if its answer is far too late. Its contender
	 * has to be withdrawn as well: a late answer must not leave a second place in the
	 * store's queue beside that of the next attempt.
	 * @return the attempt, or {@code null} if none is overdue
	 */
	@Nullable AcquireAttempt takeOverdue() {
		AcquireAttempt attempt = this.inFlight;
		if (attempt == null || !attempt.isOverdue(this.parts.now())) {
			return null;
		}
		this.inFlight = null;
		this.parts.gates().unanswered(attempt, new TimeoutException("no answer in time"));
		return attempt;
	}

	/**
	 * Ask the store for the holder of the key, unless this is under way already. The
	 * answer is passed to {@link KeyQueue#lookedUp}, which ends the look-up.
	 * @param key the key
	 * @return a step that sends the query
	 */
	Runnable lookUp(String key) {
		if (this.lookingUp) {
			return NOTHING;
		}
		this.lookingUp = true;
		return () -> this.parts.calls().call((store) -> store.find(key)).whenComplete((found, failure) -> {
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
	 * Called when the contender has been granted a lease. It can't be used again.
	 */
	void granted() {
		this.contender = null;
	}

	/**
	 * Drop the contender, if there is one.
	 * @return a step that withdraws it
	 */
	Runnable withdraw() {
		Contender unused = this.contender;
		if (unused == null) {
			return NOTHING;
		}
		this.contender = null;
		return () -> withdraw(unused);
	}

	private static void withdraw(Contender unused) {
		try {
			unused.withdraw();
		}
		catch (Throwable ex) {
			logger.warn("A contender could not withdraw", ex);
		}
	}

	private Contender contender(AcquireAttempt attempt) {
		BackendConnection connection = this.parts.calls().connection();
		LockTarget wanted = attempt.waiter().request().target();
		Contender replaced = null;
		synchronized (this.queue) {
			// The contender of a connection that a stop has closed can't be used any
			// more.
			if (this.contender != null && this.contendedBy == connection && attempt.equals(this.inFlight)) {
				if (wanted.equals(this.target)) {
					return this.contender;
				}
				replaced = this.contender;
				this.contender = null;
			}
		}
		if (replaced != null) {
			withdraw(replaced);
		}
		Contender created = connection.contend(wanted, () -> wakeUp(wanted));
		synchronized (this.queue) {
			if (attempt.equals(this.inFlight)) {
				this.contender = created;
				this.contendedBy = connection;
				this.target = wanted;
				return created;
			}
		}
		// The queue does not know this contender and so could never withdraw it.
		withdraw(created);
		throw new IllegalStateException("The attempt was given up before it was made");
	}

	/**
	 * Run by the store. A failure here must not affect the store's other waiters and
	 * subscriptions.
	 */
	private void wakeUp(LockTarget target) {
		try {
			this.queue.wakeUp();
		}
		catch (Throwable ex) {
			logger.warn("The waiters for {} could not be woken", target, ex);
		}
	}

	private void onOutcome(AcquireAttempt attempt, AttemptOutcome outcome) {
		if (!this.parts.calls().isStopped()) {
			this.parts.gates().attempted(attempt, outcome);
		}
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
	 * Ask the store whether a grant still exists, because this machine may have stood
	 * still while the answer was under way.
	 */
	private void confirm(AcquireAttempt attempt, LeaseGrant grant) {
		ClockReading sentAt = ClockReading.now(this.parts.clock());
		ResolvedRequest request = attempt.waiter().request();
		this.parts.renewals().ask(new Renewal(grant, request.ttl()), sentAt).thenAccept((outcome) -> {
			if (outcome instanceof RenewalOutcome.Renewed renewed) {
				this.queue.conclude(attempt, new AttemptOutcome.Granted(grant.renewed(renewed.validUntil())), sentAt);
			}
			else {
				// The grant may belong to an earlier attempt, whose owner id is not
				// abandoned.
				this.parts.reaper().giveBack(grant, request);
				this.queue.conclude(attempt, new AttemptOutcome.Unavailable(new IllegalStateException(
						"this machine stood still while the answer was under way, and the lease was not confirmed"),
						true), sentAt);
			}
		});
	}

}
