package io.distributedlock.backend.etcd;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.etcd.jetcd.kv.TxnResponse;
import org.jspecify.annotations.Nullable;

import io.distributedlock.LockUnavailableException;
import io.distributedlock.backend.session.QueueAttempt;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.CompletionCauses;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockClock;

/**
 * One attempt. It puts an entry into the queue, or looks at the place of an earlier
 * entry. An attempt puts no second entry there while the first one may come back, since
 * both have the same name.
 * <p>
 * With several keys, an attempt enters the queues for all of them at once and looks at
 * all of them. It has the locks when it is the first in all queues.
 */
final class EtcdAttempt extends QueueAttempt<EtcdQueueEntry> {

	/**
	 * How long a waiter waits before it looks again if no watch has woken it.
	 */
	private static final Duration POLL = Duration.ofSeconds(5);

	private final Support support;

	private final EtcdContender contender;

	private final long end;

	// The entry that this attempt has requested, if any; set before the request is sent,
	// and read by the timer.
	private volatile @Nullable EtcdQueueEntry created;

	EtcdAttempt(Support support, EtcdContender contender, LeaseRequest request) {
		super(contender, request, support.clock);
		this.support = support;
		this.contender = contender;
		this.end = support.clock.nanoTime() + request.timeout().toNanos();
	}

	/**
	 * Start by entering the queue, or by looking at the entry that is kept.
	 * @return the outcome of the attempt
	 */
	CompletableFuture<AttemptOutcome> start() {
		EtcdQueueEntry entry = this.contender.kept();
		if (entry != null && entry.session().isOpen()) {
			look(entry);
		}
		else {
			this.contender.giveUp();
			enter();
		}
		return outcome();
	}

	private void enter() {
		if (outcome().isDone()) {
			return;
		}
		EtcdSession open = this.support.sessions.current();
		if (open != null) {
			// The requests of this attempt are bounded by its end, so it needs no timer.
			enter(open);
			return;
		}
		startTimer();
		this.support.sessions.open().whenComplete((session, fault) -> {
			if (fault != null) {
				unavailable(fault);
			}
			else if (!outcome().isDone()) {
				enter(session);
			}
		});
	}

	private void enter(EtcdSession session) {
		EtcdQueueEntry entry = this.support.queue.entry(this.contender.target(), request(), session,
				this.contender.wakeUp());
		this.created = entry;
		session.entries().await(entry);
		long sentAt = this.support.clock.nanoTime();
		EtcdTxn taking = this.support.queue.taking(entry);
		this.support.requests.call(this.end, (link) -> take(link, entry, taking)).whenComplete((answer, fault) -> {
			if (fault != null) {
				notTaken(entry, CompletionCauses.unwrap(fault));
				return;
			}
			entry.stands(this.support.queue.revisionOfTaken(answer));
			if (outcome().isDone()) {
				leaveLate(entry);
			}
			else {
				guarded(() -> taken(entry, answer, sentAt));
			}
		});
	}

	private void taken(EtcdQueueEntry entry, TxnResponse answer, long sentAt) {
		EtcdLook look = this.support.queue.taken(entry, request().permits(), answer);
		// A waiter has to know the entries that it waits for.
		if (look == null || (request().waiting() && look.isPartlyShown())) {
			look(entry);
		}
		else {
			decide(entry, look, sentAt);
		}
	}

	private static CompletionStage<TxnResponse> take(EtcdLink link, EtcdQueueEntry entry, EtcdTxn taking) {
		if (!entry.ask()) {
			return CompletableFuture.failedStage(new LockUnavailableException("The entry was given up"));
		}
		return link.commit(taking).whenComplete((answer, fault) -> {
			if (EtcdFaults.isAnswer(fault)) {
				entry.answered();
			}
		});
	}

	private void notTaken(EtcdQueueEntry entry, Throwable fault) {
		boolean leaseGone = EtcdFaults.isLeaseGone(fault);
		// Not requested if the session had ended before.
		boolean again = leaseGone || entry.isUnasked();
		if (again || (EtcdFaults.isRefused(fault) && entry.giveUp())) {
			// The request was not executed.
			this.created = null;
			this.support.givenUp.forget(entry, false);
		}
		if (leaseGone) {
			entry.session().lose("etcd no longer knows it");
		}
		if (again) {
			enter();
		}
		else {
			unavailable(fault);
		}
	}

	private void look(EtcdQueueEntry entry) {
		long sentAt = this.support.clock.nanoTime();
		Map<Long, Long> sessions = this.contender.watches().sessions();
		step(entry, this.support.looks.look(this.end, entry, request().permits(), sessions),
				(look) -> decide(entry, look, sentAt), (fault) -> {
					if (EtcdFaults.isCompacted(fault) && !sessions.isEmpty()) {
						this.contender.watches().forgetRevisions();
						look(entry);
					}
					else {
						unavailable(fault);
					}
				});
	}

	/**
	 * Continue with the result of a look.
	 * @param sentAt when the look was sent
	 */
	private void decide(EtcdQueueEntry entry, EtcdLook look, long sentAt) {
		if (!look.isComplete(entry.revision())) {
			takenAway(entry, look);
			return;
		}
		Instant tick = request().tick();
		LockUnavailableException unknown = look.notUnderstood(entry, tick);
		Instant done = (unknown != null) ? null : look.last().tickNotBefore(tick, entry.ownerId());
		if (unknown != null) {
			leave(entry, new AttemptOutcome.Unavailable(unknown, false));
		}
		else if (done != null) {
			leave(entry, new AttemptOutcome.Done(done));
		}
		else {
			boolean sure = this.contender.watches().note(look);
			if (look.isInTheWay()) {
				busy(entry, look, POLL);
			}
			else if (sure) {
				mayHold(entry, look, sentAt);
			}
			else {
				look(entry);
			}
		}
	}

	/**
	 * Continue after the entry was taken away, or its session has ended. The other places
	 * of an entry that has lost some of them are given up, since a request has to enter
	 * all queues at once.
	 */
	private void takenAway(EtcdQueueEntry entry, EtcdLook look) {
		this.contender.leave();
		String reason = "The entry in etcd was taken away";
		if (look.isGone()) {
			this.support.givenUp.forget(entry, false);
			enterWithout(entry, entry.mayComeBack(), reason);
		}
		else {
			step(entry, this.support.givenUp.leave(this.end, entry), (gone) -> enterWithout(entry, true, reason),
					this::unavailable);
		}
	}

	/**
	 * Continue without an entry.
	 * @param deleted whether the entry is deleted by its name, possibly repeatedly;
	 * another entry of the attempt that created it would have the same name
	 */
	private void enterWithout(EtcdQueueEntry entry, boolean deleted, String reason) {
		if (deleted && entry == this.created) {
			unavailable(new LockUnavailableException(reason));
		}
		else {
			enter();
		}
	}

	/**
	 * Continue with an entry that no other keeps from the lock.
	 */
	private void mayHold(EtcdQueueEntry entry, EtcdLook look, long sentAt) {
		Duration grace = this.contender.watches().grace(entry, look);
		Instant tick = request().tick();
		if (!grace.isZero()) {
			busy(entry, look, grace);
		}
		else if (tick != null && !look.last().isTick(tick, entry.ownerId())) {
			storeTick(entry, look.last(), tick);
		}
		else {
			grant(entry, sentAt);
		}
	}

	/**
	 * Store the tick, before the body runs.
	 */
	private void storeTick(EtcdQueueEntry entry, EtcdQueueSnapshot snapshot, Instant tick) {
		long sentAt = this.support.clock.nanoTime();
		step(entry, this.support.ticks.write(this.end, entry, snapshot, tick), (written) -> {
			if (written) {
				grant(entry, sentAt);
			}
			else {
				// The entry no longer exists, or another tick came first.
				look(entry);
			}
		}, this::unavailable);
	}

	private void grant(EtcdQueueEntry entry, long sentAt) {
		if (entry.session().entries().isProven()) {
			hold(entry, sentAt);
		}
		else {
			startTimer();
			step(entry, entry.session().trusted(), (trusted) -> look(entry), (fault) -> look(entry));
		}
	}

	private void hold(EtcdQueueEntry entry, long sentAt) {
		entry.hold(sentAt, request().ttl());
		if (entry.session().isOpen()) {
			grant(entry, entry.span(), sentAt, entry.session().entries().validity());
		}
		else {
			this.contender.leave();
			this.contender.drop(entry);
			enterWithout(entry, true, "The session in etcd was lost");
		}
	}

	private void busy(EtcdQueueEntry entry, EtcdLook look, Duration pollAfter) {
		busy(entry, new AttemptOutcome.Busy(null, pollAfter), () -> {
			entry.session().attend();
			this.contender.watches().begin(entry, look);
		});
	}

	@Override
	protected void leave(EtcdQueueEntry entry, AttemptOutcome left) {
		this.contender.leave();
		this.support.givenUp.leave(this.end, entry)
			.whenComplete((answer, fault) -> outcome().complete((fault != null) ? sent(left) : left));
	}

	/**
	 * Return the outcome of an attempt whose entry may still be in the queue.
	 */
	private static AttemptOutcome sent(AttemptOutcome left) {
		return (left instanceof AttemptOutcome.Unavailable unavailable)
				? new AttemptOutcome.Unavailable(unavailable.cause(), true) : left;
	}

	@Override
	protected void unavailable(Throwable cause) {
		super.unavailable(EtcdFaults.explain(cause));
		EtcdQueueEntry mine = this.created;
		// A timeout that fires at the moment of the answer must not remove an entry that
		// the answer has granted, or that a waiter keeps.
		if (mine != null && outcome().join() instanceof AttemptOutcome.Unavailable) {
			leaveLate(mine);
		}
	}

	@Override
	protected boolean hasEntered() {
		return this.created != null;
	}

	@Override
	protected LockUnavailableException noAnswer() {
		return new LockUnavailableException("The etcd of the locks has not answered in time");
	}

	/**
	 * The parts of the connection that attempts need.
	 *
	 * @param requests sends requests
	 * @param queue puts entries into queues
	 * @param looks looks at the entries that wait
	 * @param sessions the sessions
	 * @param givenUp the entries that were given up
	 * @param ticks the ticks
	 * @param clock the time
	 */
	record Support(EtcdRequests requests, EtcdLockQueue queue, EtcdQueueLooks looks, EtcdSessions sessions,
			GivenUpEntries givenUp, EtcdTicks ticks, LockClock clock) {
	}

}
