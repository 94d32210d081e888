package io.distributedlock.backend.etcd;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.etcd.jetcd.KeyValue;
import org.jspecify.annotations.Nullable;

import io.distributedlock.LockUnavailableException;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.CompletionCauses;
import io.distributedlock.spi.Contender;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.TokenRange;

/**
 * A claim that keeps its entry in the queue: the first attempt that waits puts it there,
 * the later ones look at it.
 */
final class EtcdContender implements Contender {

	/**
	 * When a waiter looks again that no watch has woken.
	 */
	private static final Duration POLL = Duration.ofSeconds(5);

	private final LockTarget target;

	private final Runnable wakeUp;

	private final EtcdLockQueue queue;

	private final EtcdSessions sessions;

	private final GivenUpEntries givenUp;

	private final EtcdTicks ticks;

	private final PredecessorWatch watch;

	private final LockClock clock;

	// Guarded by the monitor, as is the one below.
	private @Nullable EtcdQueueEntry entry;

	private boolean withdrawn;

	EtcdContender(LockTarget target, Runnable wakeUp, EtcdLockQueue queue, EtcdSessions sessions,
			GivenUpEntries givenUp, EtcdTicks ticks, PredecessorWatch watch, LockClock clock) {
		this.target = target;
		this.wakeUp = wakeUp;
		this.queue = queue;
		this.sessions = sessions;
		this.givenUp = givenUp;
		this.ticks = ticks;
		this.watch = watch;
		this.clock = clock;
	}

	@Override
	public CompletionStage<AttemptOutcome> attempt(LeaseRequest request) {
		Attempt attempt = new Attempt(request, this.clock.nanoTime() + request.timeout().toNanos());
		LockClock.Timeout timer = this.clock.schedule(request.timeout(), () -> unavailable(attempt,
				new LockUnavailableException("The etcd of the locks has not answered in time")));
		attempt.outcome.whenComplete((decided, fault) -> timer.cancel());
		step(attempt);
		return attempt.outcome;
	}

	/**
	 * Return the entry that an earlier attempt has put there, if there is one.
	 */
	private synchronized @Nullable EtcdQueueEntry entry() {
		return this.entry;
	}

	/**
	 * Keep an entry and wait until what is in its way has gone.
	 * @return {@code false} if the contender was withdrawn
	 */
	private boolean keep(EtcdQueueEntry entry, EtcdQueueSnapshot snapshot) {
		synchronized (this) {
			if (this.withdrawn) {
				return false;
			}
			this.entry = entry;
		}
		entry.session().attend();
		this.watch.begin(entry, snapshot);
		if (entry() != entry) {
			// Withdrawn meanwhile.
			this.watch.end();
		}
		return true;
	}

	/**
	 * Give up the entry here, whatever becomes of it at the store.
	 */
	private @Nullable EtcdQueueEntry forget() {
		EtcdQueueEntry former;
		synchronized (this) {
			former = this.entry;
			this.entry = null;
		}
		this.watch.end();
		return former;
	}

	@Override
	public void withdraw() {
		synchronized (this) {
			this.withdrawn = true;
		}
		EtcdQueueEntry former = forget();
		if (former != null) {
			this.givenUp.drop(former);
		}
	}

	private void step(Attempt attempt) {
		if (attempt.outcome.isDone()) {
			return;
		}
		EtcdQueueEntry entry = entry();
		if (entry != null && entry.session().isOpen()) {
			look(attempt, entry, this.watch.predecessor());
			return;
		}
		if (entry != null) {
			forget();
			this.givenUp.drop(entry);
		}
		this.sessions.open().whenComplete((session, fault) -> {
			if (fault != null) {
				unavailable(attempt, fault);
			}
			else if (!attempt.outcome.isDone()) {
				take(attempt, session);
			}
		});
	}

	private void take(Attempt attempt, EtcdSession session) {
		EtcdQueueEntry entry = this.queue.entry(this.target, attempt.request, session, this.wakeUp);
		attempt.created = entry;
		session.entries().await(entry);
		long sentAt = this.clock.nanoTime();
		this.queue.take(attempt.end, entry).whenComplete((snapshot, fault) -> {
			if (fault != null) {
				notTaken(attempt, entry, CompletionCauses.unwrap(fault));
			}
			else {
				entry.stands(snapshot.own());
				decide(attempt, entry, snapshot, sentAt);
			}
		});
	}

	private void notTaken(Attempt attempt, EtcdQueueEntry entry, Throwable fault) {
		boolean leaseGone = EtcdFaults.isLeaseGone(fault);
		// Unasked if the session has ended before.
		if (leaseGone || entry.isUnasked()) {
			attempt.created = null;
			this.givenUp.forget(entry, false);
			if (leaseGone) {
				entry.session().lose("etcd no longer knows it");
			}
			step(attempt);
			return;
		}
		if (EtcdFaults.isRefused(fault) && entry.giveUp()) {
			// Nothing was executed.
			attempt.created = null;
			this.givenUp.forget(entry, false);
		}
		unavailable(attempt, fault);
	}

	private void look(Attempt attempt, EtcdQueueEntry entry, @Nullable EtcdPredecessor former) {
		long sentAt = this.clock.nanoTime();
		this.queue.look(attempt.end, entry, former).whenComplete((snapshot, fault) -> {
			if (fault == null) {
				decide(attempt, entry, snapshot, sentAt);
			}
			else if (EtcdFaults.isCompacted(CompletionCauses.unwrap(fault)) && former != null) {
				// Too long ago: what is there now shows as much or less.
				look(attempt, entry, former.gone(0));
			}
			else {
				unavailable(attempt, fault);
			}
		});
	}

	private void decide(Attempt attempt, EtcdQueueEntry entry, EtcdQueueSnapshot snapshot, long sentAt) {
		if (attempt.outcome.isDone()) {
			dropCreated(attempt);
			return;
		}
		if (snapshot.own() == 0) {
			// It was taken away, or the session has ended.
			forget();
			this.givenUp.forget(entry, false);
			if (entry == attempt.created && entry.mayComeBack()) {
				// It is deleted by its name until it can't, and another entry of this
				// attempt would have the same name.
				unavailable(attempt, new LockUnavailableException("The entry in etcd was taken away"));
			}
			else {
				step(attempt);
			}
			return;
		}
		KeyValue unknown = snapshot.notUnderstood(attempt.request.tick());
		if (unknown != null) {
			LockUnavailableException taken = EtcdFaults.notUnderstood(entry.target().key(), unknown);
			leave(attempt, entry, new AttemptOutcome.Unavailable(taken, false),
					new AttemptOutcome.Unavailable(taken, true));
			return;
		}
		Instant done = snapshot.tickNotBefore(attempt.request.tick(), entry.ownerId());
		if (done != null) {
			leave(attempt, entry, new AttemptOutcome.Done(done));
			return;
		}
		if (snapshot.predecessor() != null) {
			busy(attempt, entry, snapshot, POLL);
			return;
		}
		Duration grace = this.watch.grace(snapshot);
		if (!grace.isZero()) {
			busy(attempt, entry, snapshot, grace);
			return;
		}
		Instant tick = attempt.request.tick();
		if (tick != null && !snapshot.isTick(tick, entry.ownerId())) {
			writeTick(attempt, entry, snapshot, tick);
			return;
		}
		grant(attempt, entry, sentAt);
	}

	private void busy(Attempt attempt, EtcdQueueEntry entry, EtcdQueueSnapshot snapshot, Duration pollAfter) {
		AttemptOutcome busy = new AttemptOutcome.Busy(null, pollAfter);
		if (!attempt.request.waiting() || !keep(entry, snapshot)) {
			leave(attempt, entry, busy);
		}
		else if (!attempt.outcome.complete(busy)) {
			dropCreated(attempt);
		}
	}

	/**
	 * Give up the entry, and complete the outcome when it is gone.
	 */
	private void leave(Attempt attempt, EtcdQueueEntry entry, AttemptOutcome left) {
		leave(attempt, entry, left, left);
	}

	private void leave(Attempt attempt, EtcdQueueEntry entry, AttemptOutcome left, AttemptOutcome perhapsLeft) {
		forget();
		this.givenUp.leave(attempt.end, entry)
			.whenComplete((answer, fault) -> attempt.outcome.complete((fault != null) ? perhapsLeft : left));
	}

	private void writeTick(Attempt attempt, EtcdQueueEntry entry, EtcdQueueSnapshot snapshot, Instant tick) {
		long sentAt = this.clock.nanoTime();
		this.ticks.write(attempt.end, entry, snapshot, tick).whenComplete((written, fault) -> {
			if (fault != null) {
				unavailable(attempt, fault);
			}
			else if (written) {
				if (attempt.outcome.isDone()) {
					dropCreated(attempt);
				}
				else {
					grant(attempt, entry, sentAt);
				}
			}
			else {
				// The entry does not stand any more, or another tick came first.
				look(attempt, entry, null);
			}
		});
	}

	private void grant(Attempt attempt, EtcdQueueEntry entry, long sentAt) {
		if (!entry.session().entries().isProven()) {
			entry.session().trusted().whenComplete((trusted, fault) -> look(attempt, entry, null));
			return;
		}
		entry.hold(sentAt, attempt.request.ttl());
		if (!entry.session().isOpen()) {
			forget();
			this.givenUp.drop(entry);
			if (entry == attempt.created) {
				// Another entry of this attempt would have the same name, by which this
				// one is deleted.
				unavailable(attempt, new LockUnavailableException("The session in etcd was lost"));
			}
			else {
				step(attempt);
			}
			return;
		}
		forget();
		TokenRange tokens = new TokenRange(entry.firstToken(), Math.min(attempt.request.span(), entry.span()));
		LeaseGrant grant = new LeaseGrant(entry.target(), entry.ownerId(), List.of(tokens),
				LockClock.validUntil(sentAt, attempt.request.ttl()), entry.session().entries().validity());
		if (!attempt.outcome.complete(new AttemptOutcome.Granted(grant))) {
			this.givenUp.drop(entry);
		}
	}

	private void unavailable(Attempt attempt, Throwable fault) {
		boolean sent = attempt.created != null;
		attempt.outcome
			.complete(new AttemptOutcome.Unavailable(EtcdFaults.explain(CompletionCauses.unwrap(fault)), sent));
		// A timeout that fires in the moment of the answer must not take an entry away
		// that the answer has granted, or that a waiter keeps.
		if (attempt.outcome.join() instanceof AttemptOutcome.Unavailable) {
			dropCreated(attempt);
		}
	}

	/**
	 * See to it that nothing is left of what this attempt has asked for: its owner id is
	 * abandoned, so that its entry can't be kept.
	 */
	private void dropCreated(Attempt attempt) {
		EtcdQueueEntry entry = attempt.created;
		if (entry != null) {
			if (entry() == entry) {
				forget();
			}
			this.givenUp.drop(entry);
		}
	}

	/**
	 * One attempt: puts an entry into the queue, or looks at the one that was put there
	 * before, and finds out how the lock is to be had. Ends in time whatever etcd does;
	 * what comes to light later is put in order.
	 */
	private static final class Attempt {

		private final LeaseRequest request;

		private final long end;

		// The thread that completes it decides what the attempt has come to.
		private final CompletableFuture<AttemptOutcome> outcome = new CompletableFuture<>();

		// The entry that this attempt has asked for, if it has; set before etcd is asked.
		private volatile @Nullable EtcdQueueEntry created;

		Attempt(LeaseRequest request, long end) {
			this.request = request;
			this.end = end;
		}

	}

}
