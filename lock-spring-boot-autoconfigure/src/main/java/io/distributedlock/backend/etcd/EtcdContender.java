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
		return new Attempt(request).begin();
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

	/**
	 * One attempt: puts an entry into the queue, or looks at the one that was put there
	 * before, and finds out how the lock is to be had. Ends in time whatever etcd does;
	 * what comes to light later is put in order.
	 */
	private final class Attempt {

		private final LeaseRequest request;

		private final long end;

		// The thread that completes it decides what the attempt has come to.
		private final CompletableFuture<AttemptOutcome> outcome = new CompletableFuture<>();

		// The entry that this attempt has asked for, if it has; set before etcd is asked.
		private volatile @Nullable EtcdQueueEntry created;

		Attempt(LeaseRequest request) {
			this.request = request;
			this.end = EtcdContender.this.clock.nanoTime() + request.timeout().toNanos();
		}

		CompletableFuture<AttemptOutcome> begin() {
			LockClock.Timeout timer = EtcdContender.this.clock.schedule(this.request.timeout(),
					() -> unavailable(new LockUnavailableException("The etcd of the locks has not answered in time")));
			this.outcome.whenComplete((decided, fault) -> timer.cancel());
			step();
			return this.outcome;
		}

		private void step() {
			if (this.outcome.isDone()) {
				return;
			}
			EtcdQueueEntry entry = entry();
			if (entry != null && entry.session().isOpen()) {
				look(entry, EtcdContender.this.watch.predecessor());
				return;
			}
			if (entry != null) {
				forget();
				EtcdContender.this.givenUp.drop(entry);
			}
			EtcdContender.this.sessions.open().whenComplete((session, fault) -> {
				if (fault != null) {
					unavailable(fault);
				}
				else if (!this.outcome.isDone()) {
					take(session);
				}
			});
		}

		private void take(EtcdSession session) {
			EtcdQueueEntry entry = EtcdContender.this.queue.entry(EtcdContender.this.target, this.request, session,
					EtcdContender.this.wakeUp);
			this.created = entry;
			session.entries().await(entry);
			long sentAt = EtcdContender.this.clock.nanoTime();
			EtcdContender.this.queue.take(this.end, entry).whenComplete((snapshot, fault) -> {
				if (fault != null) {
					notTaken(entry, EtcdFaults.causeOf(fault));
				}
				else {
					entry.stands(snapshot.own());
					decide(entry, snapshot, sentAt);
				}
			});
		}

		private void notTaken(EtcdQueueEntry entry, Throwable fault) {
			if (EtcdFaults.isLeaseGone(fault)) {
				this.created = null;
				EtcdContender.this.givenUp.forget(entry);
				entry.session().lose("etcd no longer knows it");
				step();
			}
			else if (entry.isUnasked()) {
				// The session has ended before.
				this.created = null;
				EtcdContender.this.givenUp.forget(entry);
				step();
			}
			else {
				if (EtcdFaults.isRefused(fault) && entry.giveUp()) {
					// Nothing was executed.
					this.created = null;
					EtcdContender.this.givenUp.forget(entry);
				}
				unavailable(fault);
			}
		}

		private void look(EtcdQueueEntry entry, @Nullable EtcdPredecessor former) {
			long sentAt = EtcdContender.this.clock.nanoTime();
			EtcdContender.this.queue.look(this.end, entry, former).whenComplete((snapshot, fault) -> {
				if (fault == null) {
					decide(entry, snapshot, sentAt);
				}
				else if (EtcdFaults.isCompacted(EtcdFaults.causeOf(fault)) && former != null) {
					// Too long ago: what is there now shows as much or less.
					look(entry, former.gone(0));
				}
				else {
					unavailable(fault);
				}
			});
		}

		private void decide(EtcdQueueEntry entry, EtcdQueueSnapshot snapshot, long sentAt) {
			if (this.outcome.isDone()) {
				dropCreated();
				return;
			}
			if (snapshot.own() == 0) {
				// It was taken away, or the session has ended.
				forget();
				EtcdContender.this.givenUp.forget(entry);
				step();
				return;
			}
			KeyValue unknown = snapshot.notUnderstood(this.request.tick());
			if (unknown != null) {
				LockUnavailableException taken = EtcdFaults.notUnderstood(entry.target().key(), unknown);
				leave(entry, new AttemptOutcome.Unavailable(taken, false), new AttemptOutcome.Unavailable(taken, true));
				return;
			}
			Instant done = snapshot.tickNotBefore(this.request.tick(), entry.ownerId());
			if (done != null) {
				leave(entry, new AttemptOutcome.Done(done));
				return;
			}
			if (snapshot.predecessor() != null) {
				busy(entry, snapshot, POLL);
				return;
			}
			Duration grace = EtcdContender.this.watch.grace(snapshot);
			if (!grace.isZero()) {
				busy(entry, snapshot, grace);
				return;
			}
			Instant tick = this.request.tick();
			if (tick != null && !snapshot.isTick(tick, entry.ownerId())) {
				writeTick(entry, snapshot, tick);
				return;
			}
			grant(entry, sentAt);
		}

		private void busy(EtcdQueueEntry entry, EtcdQueueSnapshot snapshot, Duration pollAfter) {
			AttemptOutcome busy = new AttemptOutcome.Busy(null, pollAfter);
			if (!this.request.waiting()) {
				leave(entry, busy);
				return;
			}
			if (!keep(entry, snapshot)) {
				leave(entry, busy);
				return;
			}
			if (!this.outcome.complete(busy)) {
				dropCreated();
			}
		}

		/**
		 * Give up the entry, and complete the outcome when it is gone.
		 */
		private void leave(EtcdQueueEntry entry, AttemptOutcome left) {
			leave(entry, left, left);
		}

		private void leave(EtcdQueueEntry entry, AttemptOutcome left, AttemptOutcome perhapsLeft) {
			forget();
			EtcdContender.this.givenUp.leave(this.end, entry)
				.whenComplete((answer, fault) -> this.outcome.complete((fault != null) ? perhapsLeft : left));
		}

		private void writeTick(EtcdQueueEntry entry, EtcdQueueSnapshot snapshot, Instant tick) {
			long sentAt = EtcdContender.this.clock.nanoTime();
			EtcdContender.this.ticks.write(this.end, entry, snapshot, tick).whenComplete((written, fault) -> {
				if (fault != null) {
					unavailable(fault);
				}
				else if (written) {
					if (this.outcome.isDone()) {
						dropCreated();
					}
					else {
						grant(entry, sentAt);
					}
				}
				else {
					// The entry does not stand any more, or another tick came first.
					look(entry, null);
				}
			});
		}

		private void grant(EtcdQueueEntry entry, long sentAt) {
			if (!entry.session().entries().isProven()) {
				entry.session().trusted().whenComplete((trusted, fault) -> look(entry, null));
				return;
			}
			entry.hold(sentAt, this.request.ttl());
			if (!entry.session().isOpen()) {
				forget();
				EtcdContender.this.givenUp.drop(entry);
				this.created = null;
				step();
				return;
			}
			forget();
			TokenRange tokens = new TokenRange(entry.firstToken(), Math.min(this.request.span(), entry.span()));
			LeaseGrant grant = new LeaseGrant(entry.target(), entry.ownerId(), List.of(tokens),
					LockClock.validUntil(sentAt, this.request.ttl()), entry.session().entries().validity());
			if (!this.outcome.complete(new AttemptOutcome.Granted(grant))) {
				EtcdContender.this.givenUp.drop(entry);
			}
		}

		private void unavailable(Throwable fault) {
			boolean sent = this.created != null;
			this.outcome.complete(new AttemptOutcome.Unavailable(EtcdFaults.explain(EtcdFaults.causeOf(fault)), sent));
			// A timeout that fires in the moment of the answer must not take an entry
			// away
			// that the answer has granted, or that a waiter keeps.
			if (this.outcome.join() instanceof AttemptOutcome.Unavailable) {
				dropCreated();
			}
		}

		/**
		 * See to it that nothing is left of what this attempt has asked for: its owner id
		 * is abandoned, so that its entry can't be kept.
		 */
		private void dropCreated() {
			EtcdQueueEntry entry = this.created;
			if (entry != null) {
				if (entry() == entry) {
					forget();
				}
				EtcdContender.this.givenUp.drop(entry);
			}
		}

	}

}
