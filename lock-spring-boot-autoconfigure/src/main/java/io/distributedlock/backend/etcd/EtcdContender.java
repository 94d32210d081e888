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

	private final Ticks ticks;

	private final PredecessorWatch watch;

	private final LockClock clock;

	// Guarded by the monitor, as is the one below.
	private @Nullable Place place;

	private boolean withdrawn;

	EtcdContender(LockTarget target, Runnable wakeUp, EtcdLockQueue queue, EtcdSessions sessions,
			GivenUpEntries givenUp, Ticks ticks, PredecessorWatch watch, LockClock clock) {
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
	private synchronized @Nullable Place place() {
		return this.place;
	}

	/**
	 * Keep an entry and wait until what is in its way has gone.
	 * @return {@code false} if the contender was withdrawn
	 */
	private boolean keep(Place kept, View view) {
		synchronized (this) {
			if (this.withdrawn) {
				return false;
			}
			this.place = kept;
		}
		kept.session().attend();
		this.watch.begin(kept, view);
		if (place() != kept) {
			// Withdrawn meanwhile.
			this.watch.end();
		}
		return true;
	}

	/**
	 * Give up the entry here, whatever becomes of it at the store.
	 */
	private @Nullable Place forget() {
		Place former;
		synchronized (this) {
			former = this.place;
			this.place = null;
		}
		this.watch.end();
		return former;
	}

	@Override
	public void withdraw() {
		synchronized (this) {
			this.withdrawn = true;
		}
		Place former = forget();
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
		private volatile @Nullable Place created;

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
			Place kept = place();
			if (kept != null && kept.session().isOpen()) {
				look(kept, EtcdContender.this.watch.predecessor());
				return;
			}
			if (kept != null) {
				forget();
				EtcdContender.this.givenUp.drop(kept);
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
			Place place = EtcdContender.this.queue.entry(EtcdContender.this.target, this.request, session,
					EtcdContender.this.wakeUp);
			this.created = place;
			session.entries().await(place);
			long sentAt = EtcdContender.this.clock.nanoTime();
			EtcdContender.this.queue.take(this.end, place).whenComplete((view, fault) -> {
				if (fault != null) {
					notTaken(place, EtcdFaults.causeOf(fault));
				}
				else {
					place.stands(view.own());
					decide(place, view, sentAt);
				}
			});
		}

		private void notTaken(Place place, Throwable fault) {
			if (EtcdFaults.isLeaseGone(fault)) {
				this.created = null;
				EtcdContender.this.givenUp.forget(place);
				place.session().lose("etcd no longer knows it");
				step();
			}
			else if (place.isUnasked()) {
				// The session has ended before.
				this.created = null;
				EtcdContender.this.givenUp.forget(place);
				step();
			}
			else {
				if (EtcdFaults.isRefused(fault) && place.giveUp()) {
					// Nothing was executed.
					this.created = null;
					EtcdContender.this.givenUp.forget(place);
				}
				unavailable(fault);
			}
		}

		private void look(Place place, @Nullable Obstacle former) {
			long sentAt = EtcdContender.this.clock.nanoTime();
			EtcdContender.this.queue.look(this.end, place, former).whenComplete((view, fault) -> {
				if (fault == null) {
					decide(place, view, sentAt);
				}
				else if (EtcdFaults.isCompacted(EtcdFaults.causeOf(fault)) && former != null) {
					// Too long ago to be told; what is there now tells as much or less.
					look(place, former.gone(0));
				}
				else {
					unavailable(fault);
				}
			});
		}

		private void decide(Place place, View view, long sentAt) {
			if (this.outcome.isDone()) {
				dropCreated();
				return;
			}
			if (view.own() == 0) {
				// Somebody has taken the place away, or the session has ended.
				forget();
				EtcdContender.this.givenUp.forget(place);
				step();
				return;
			}
			KeyValue unknown = view.notUnderstood(this.request.tick());
			if (unknown != null) {
				LockUnavailableException taken = EtcdFaults.notUnderstood(place.target().key(), unknown);
				leave(place, new AttemptOutcome.Unavailable(taken, false), new AttemptOutcome.Unavailable(taken, true));
				return;
			}
			Instant done = view.tickNotBefore(this.request.tick(), place.ownerId());
			if (done != null) {
				leave(place, new AttemptOutcome.Done(done));
				return;
			}
			if (view.obstacle() != null) {
				busy(place, view, POLL);
				return;
			}
			Duration grace = EtcdContender.this.watch.grace(view);
			if (!grace.isZero()) {
				busy(place, view, grace);
				return;
			}
			Instant tick = this.request.tick();
			if (tick != null && !view.isTick(tick, place.ownerId())) {
				writeTick(place, view, tick);
				return;
			}
			grant(place, sentAt);
		}

		private void busy(Place place, View view, Duration pollAfter) {
			AttemptOutcome busy = new AttemptOutcome.Busy(null, pollAfter);
			if (!this.request.waiting()) {
				leave(place, busy);
				return;
			}
			if (!keep(place, view)) {
				leave(place, busy);
				return;
			}
			if (!this.outcome.complete(busy)) {
				dropCreated();
			}
		}

		/**
		 * Give up the place, and tell what the attempt has come to when it is gone.
		 */
		private void leave(Place place, AttemptOutcome told) {
			leave(place, told, told);
		}

		private void leave(Place place, AttemptOutcome left, AttemptOutcome perhapsLeft) {
			forget();
			EtcdContender.this.givenUp.leave(this.end, place)
				.whenComplete((answer, fault) -> this.outcome.complete((fault != null) ? perhapsLeft : left));
		}

		private void writeTick(Place place, View view, Instant tick) {
			long sentAt = EtcdContender.this.clock.nanoTime();
			EtcdContender.this.ticks.write(this.end, place, view, tick).whenComplete((written, fault) -> {
				if (fault != null) {
					unavailable(fault);
				}
				else if (written) {
					if (this.outcome.isDone()) {
						dropCreated();
					}
					else {
						grant(place, sentAt);
					}
				}
				else {
					// The place does not stand any more, or another tick came first.
					look(place, null);
				}
			});
		}

		private void grant(Place place, long sentAt) {
			if (!place.session().entries().isProven()) {
				place.session().trusted().whenComplete((trusted, fault) -> look(place, null));
				return;
			}
			place.hold(sentAt, this.request.ttl());
			if (!place.session().isOpen()) {
				forget();
				EtcdContender.this.givenUp.drop(place);
				this.created = null;
				step();
				return;
			}
			forget();
			TokenRange tokens = new TokenRange(place.firstToken(), Math.min(this.request.span(), place.span()));
			LeaseGrant grant = new LeaseGrant(place.target(), place.ownerId(), List.of(tokens),
					LockClock.validUntil(sentAt, this.request.ttl()), place.session().entries().validity());
			if (!this.outcome.complete(new AttemptOutcome.Granted(grant))) {
				EtcdContender.this.givenUp.drop(place);
			}
		}

		private void unavailable(Throwable fault) {
			boolean sent = this.created != null;
			this.outcome.complete(new AttemptOutcome.Unavailable(EtcdFaults.explain(EtcdFaults.causeOf(fault)), sent));
			// A timeout that fires in the moment of the answer must not take a place away
			// that the answer has granted, or that a waiter keeps.
			if (this.outcome.join() instanceof AttemptOutcome.Unavailable) {
				dropCreated();
			}
		}

		/**
		 * See to it that nothing is left of what this attempt has asked for: its owner id
		 * is abandoned, so that its place can't be kept.
		 */
		private void dropCreated() {
			Place place = this.created;
			if (place != null) {
				if (place() == place) {
					forget();
				}
				EtcdContender.this.givenUp.drop(place);
			}
		}

	}

}
