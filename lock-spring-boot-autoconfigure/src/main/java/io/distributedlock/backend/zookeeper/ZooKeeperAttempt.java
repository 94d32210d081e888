package io.distributedlock.backend.zookeeper;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import io.distributedlock.LockUnavailableException;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.CompletionCauses;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.TokenRange;

/**
 * One attempt: enters the queue, or looks where the node in it stands. The first in the
 * queue sits out cooldowns, stores its tick, and makes sure that its session is known to
 * live before it is granted the lock. The steps follow each other on the event thread of
 * the client, until one of them, or the time-out, decides the outcome.
 */
final class ZooKeeperAttempt {

	private final ZooKeeperLockQueue queue;

	private final ZooKeeperContender contender;

	private final LeaseRequest request;

	private final long startedAt;

	private final CompletableFuture<AttemptOutcome> outcome = new CompletableFuture<>();

	private final EnqueueOperation enqueue;

	// Whether this attempt made the node, or may have; read by the timer.
	private volatile boolean entered;

	ZooKeeperAttempt(ZooKeeperLockQueue queue, ZooKeeperContender contender, LeaseRequest request) {
		this.queue = queue;
		this.contender = contender;
		this.request = request;
		this.startedAt = queue.clock().nanoTime();
		this.enqueue = queue.enqueue(contender.target().key(), request, contender.wakeUp(), this.outcome);
	}

	CompletableFuture<AttemptOutcome> start() {
		LockClock.Timeout timer = this.queue.clock().schedule(this.request.timeout(), this::unanswered);
		this.outcome.whenComplete((value, failure) -> timer.cancel());
		OwnQueueNode granted = this.queue.begin(this.request.ownerId(), this.outcome);
		OwnQueueNode node = this.contender.entry();
		if (granted != null) {
			// This attempt was sent again; it has what it was granted.
			hold(granted);
		}
		else if (node != null && !node.session().isEnded()) {
			look(node);
		}
		else {
			enter();
		}
		return this.outcome;
	}

	private void enter() {
		this.contender.leave();
		this.entered = true;
		this.enqueue.enter().whenComplete((found, fault) -> {
			if (fault != null) {
				unavailable(CompletionCauses.unwrap(fault), false);
			}
			else if (this.outcome.isDone()) {
				this.queue.delete(found.node());
			}
			else {
				guarded(() -> goOn(found.node(), found.names()));
			}
		});
	}

	private void goOn(OwnQueueNode node, @Nullable List<String> names) {
		if (names != null && this.contender.predecessors().isEmpty()) {
			decide(node, QueueListing.of(names), null);
		}
		else {
			look(node);
		}
	}

	private void look(OwnQueueNode node) {
		if (this.contender.predecessors().isEmpty()) {
			step(node, this.queue.list(node), (listing) -> decide(node, listing, null));
		}
		else {
			step(node, this.queue.listWithSessions(node), (look) -> decide(node, look.queue(), look.sessions()));
		}
	}

	/**
	 * Go on with what a look has shown.
	 * @param sessions what was listed after the queue, if there was a need
	 */
	private void decide(OwnQueueNode node, QueueListing listing, @Nullable SessionListing sessions) {
		if (!listing.contains(node.name())) {
			enter();
			return;
		}
		this.queue.deleteOthersOf(node, listing);
		QueuePredecessors predecessors = this.contender.predecessors();
		if (sessions != null) {
			predecessors.compare(listing, sessions, (gone, timeout) -> this.queue.endOfLeases(node, gone, timeout));
		}
		predecessors.saw(listing.allBefore(node.name()));
		TickNode done = doneTick(node, listing);
		QueueNode before = listing.before(node.name());
		LockUnavailableException unknown = listing.takenByUnknown(this.contender.target().key());
		if (unknown != null) {
			end(node, new AttemptOutcome.Unavailable(unknown, false));
		}
		else if (done != null) {
			end(node, new AttemptOutcome.Done(Instant.ofEpochMilli(done.millis())));
		}
		else if (before == null) {
			first(node, listing, predecessors.rest(this.queue.clock().nanoTime()));
		}
		else if (this.request.waiting()) {
			watch(node, before);
		}
		else {
			giveWay(node, before);
		}
	}

	private @Nullable TickNode doneTick(OwnQueueNode node, QueueListing listing) {
		TickNode latest = listing.latestTick();
		Instant wanted = this.request.tick();
		boolean done = latest != null && wanted != null && latest.millis() >= wanted.toEpochMilli()
				&& !latest.isOf(node, wanted);
		return done ? latest : null;
	}

	/**
	 * Go on as the first in the queue.
	 * @param grace how long a former holder may not know that its lease is over
	 */
	private void first(OwnQueueNode node, QueueListing listing, Duration grace) {
		if (!grace.isZero()) {
			rest(node, grace);
		}
		else if (listing.cooldowns().isEmpty()) {
			storeTick(node, listing);
		}
		else {
			step(node, this.queue.restOfCooldowns(node, listing.cooldowns()), (rest) -> {
				if (rest.isZero()) {
					this.queue.deleteCooldowns(node, listing.cooldowns());
					storeTick(node, listing);
				}
				else {
					rest(node, rest);
				}
			});
		}
	}

	/**
	 * End as the first in the queue that may not have the lock yet.
	 */
	private void rest(OwnQueueNode node, Duration rest) {
		AttemptOutcome.Busy busy = new AttemptOutcome.Busy(rest, rest);
		if (this.request.waiting()) {
			wait(node, null, busy);
		}
		else {
			end(node, busy);
		}
	}

	/**
	 * Store the tick, before the body runs.
	 */
	private void storeTick(OwnQueueNode node, QueueListing listing) {
		Instant tick = this.request.tick();
		TickNode latest = listing.latestTick();
		if (tick == null || (latest != null && latest.isOf(node, tick))) {
			grant(node);
			return;
		}
		step(node, this.queue.storeTick(node, tick, listing.ticks()), (stored) -> grant(node), () -> look(node));
	}

	private void grant(OwnQueueNode node) {
		if (node.session().isValid()) {
			hold(node);
			return;
		}
		// Nothing was acknowledged lately, so that the lease would be over soon.
		step(node, this.queue.beat(node), (beat) -> {
			if (node.session().isValid()) {
				hold(node);
			}
			else {
				unanswered();
			}
		});
	}

	/**
	 * Grant the lock to a node.
	 */
	private void hold(OwnQueueNode node) {
		// In this order, so that the node is known to be used all the time.
		node.session().entries().hold(node);
		this.contender.leave();
		this.contender.predecessors().clear();
		TokenRange tokens = new TokenRange(node.firstToken(), Math.min(this.request.span(), OwnQueueNode.TOKENS));
		LeaseGrant grant = new LeaseGrant(this.contender.target(), node.ownerId(), List.of(tokens),
				LockClock.validUntil(this.startedAt, this.request.ttl()), node.session().entries().validity());
		if (!this.outcome.complete(new AttemptOutcome.Granted(grant))) {
			node.session().entries().remove(node);
			this.queue.delete(node);
		}
	}

	/**
	 * Wait behind another node. Where it is gone meanwhile there is nothing to watch.
	 */
	private void watch(OwnQueueNode node, QueueNode before) {
		step(node, this.queue.watch(node, before, this.contender.watcher()), (sessions) -> {
			this.contender.predecessors().know(sessions);
			this.queue.watchHeartbeat(node, before, sessions);
			wait(node, before, new AttemptOutcome.Busy(null, poll(node)));
		}, () -> look(node));
	}

	private void wait(OwnQueueNode node, @Nullable QueueNode before, AttemptOutcome.Busy busy) {
		node.watched().set(before);
		if (!this.contender.keep(node)) {
			this.queue.withdraw(node);
		}
		if (!this.outcome.complete(busy) && this.entered) {
			// The engine abandons what this attempt has made.
			this.contender.giveUp();
		}
	}

	/**
	 * Leave the queue as one that does not wait.
	 */
	private void giveWay(OwnQueueNode node, QueueNode before) {
		step(node, this.queue.giveWay(node, before), (done) -> {
			this.contender.leave();
			this.outcome.complete(new AttemptOutcome.Busy(null, poll(node)));
		}, () -> look(node));
	}

	private static Duration poll(OwnQueueNode node) {
		return node.session().timeout();
	}

	/**
	 * End without a grant and without a node in the queue, when that is gone.
	 */
	private void end(OwnQueueNode node, AttemptOutcome end) {
		this.contender.giveUp(node).whenComplete((removed, fault) -> {
			if (fault == null) {
				this.outcome.complete(end);
			}
			else {
				unavailable(CompletionCauses.unwrap(fault), this.entered);
			}
		});
	}

	/**
	 * End with a store that did not answer in time. A node that this attempt has made, or
	 * may have made, is the engine's to abandon; one that was there before stays in the
	 * queue.
	 */
	private void unanswered() {
		unavailable(RepeatedRequests.noAnswer(this.request.timeout()), this.entered);
	}

	private void unavailable(Throwable cause, boolean sent) {
		this.outcome.complete(new AttemptOutcome.Unavailable(cause, sent));
	}

	private <T> void step(OwnQueueNode node, CompletableFuture<T> answer, Consumer<T> next) {
		step(node, answer, next, this::enter);
	}

	/**
	 * Go on with the answer to a request for a node.
	 * @param otherwise what to do where a node is missing
	 */
	private <T> void step(OwnQueueNode node, CompletableFuture<T> answer, Consumer<T> next, Runnable otherwise) {
		answer.whenComplete((value, fault) -> {
			if (this.outcome.isDone()) {
				leaveLate(node);
			}
			else if (fault == null) {
				guarded(() -> next.accept(value));
			}
			else if (ZooKeeperFaults.isNoNode(fault) || ZooKeeperFaults.isNodeExists(fault)) {
				guarded(otherwise);
			}
			else if (ZooKeeperFaults.isSessionEnd(fault)) {
				guarded(this::enter);
			}
			else {
				unavailable(CompletionCauses.unwrap(fault), this.entered);
				leaveLate(node);
			}
		});
	}

	/**
	 * Take away the node of an attempt whose outcome was decided without it.
	 */
	private void leaveLate(OwnQueueNode node) {
		if (this.entered) {
			this.contender.leave();
			this.queue.delete(node);
		}
	}

	private void guarded(Runnable action) {
		try {
			action.run();
		}
		catch (RuntimeException ex) {
			unavailable(ex, this.entered);
		}
	}

}
