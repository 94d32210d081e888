package io.distributedlock.backend.zookeeper;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import io.distributedlock.LockUnavailableException;
import io.distributedlock.backend.session.QueueAttempt;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.CompletionCauses;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.OwnerId;

/**
 * One attempt. It enters the queue, or looks at the place of its node. The first in the
 * queue waits until cooldowns are over and stores its tick. It makes sure that its
 * session is known to live before it is granted the lock. The steps follow each other on
 * the client's event thread until one of them, or the timeout, decides the outcome.
 */
final class ZooKeeperAttempt extends QueueAttempt<OwnQueueNode> {

	private final ZooKeeperLockQueue queue;

	private final ZooKeeperContender contender;

	private final long startedAt;

	// The id of the node that it may create.
	private final OwnerId id;

	private final EnqueueOperation enqueue;

	// Whether this attempt has created the node, or may have; read by the timer.
	private volatile boolean entered;

	ZooKeeperAttempt(ZooKeeperLockQueue queue, ZooKeeperContender contender, LeaseRequest request) {
		super(contender, request, queue.clock());
		this.queue = queue;
		this.contender = contender;
		this.startedAt = queue.clock().nanoTime();
		this.id = PlaceIds.of(contender.target(), request.ownerId());
		this.enqueue = queue.enqueue(contender, this.id, request, outcome());
	}

	/**
	 * Start by entering the queue, or by looking at the entry that is kept.
	 * @return the outcome of the attempt
	 */
	CompletableFuture<AttemptOutcome> start() {
		startTimer();
		OwnQueueNode granted = this.queue.begin(this.id, outcome());
		OwnQueueNode node = this.contender.kept();
		if (granted != null) {
			// This attempt was sent again and already has the lock.
			hold(granted);
		}
		else if (node != null && !node.session().isEnded()) {
			look(node);
		}
		else {
			enter();
		}
		return outcome();
	}

	private void enter() {
		this.contender.leave();
		this.entered = true;
		this.enqueue.enter().whenComplete((found, fault) -> {
			if (fault != null) {
				outcome().complete(new AttemptOutcome.Unavailable(CompletionCauses.unwrap(fault), false));
			}
			else if (outcome().isDone()) {
				this.queue.requests().delete(found.node());
			}
			else {
				guarded(() -> entered(found.node(), found.names()));
			}
		});
	}

	private void entered(OwnQueueNode node, @Nullable List<String> names) {
		if (names != null && this.contender.predecessors().isEmpty()) {
			decide(node, QueueListing.of(names), null);
		}
		else {
			look(node);
		}
	}

	private void look(OwnQueueNode node) {
		step(node, this.queue.look(node, !this.contender.predecessors().isEmpty()),
				(shown) -> decide(node, shown.queue(), shown.sessions()));
	}

	/**
	 * Continue with the result of a look.
	 * @param sessions the sessions, which were listed after the queue, or {@code null} if
	 * they were not needed
	 */
	private void decide(OwnQueueNode node, QueueListing listing, @Nullable SessionListing sessions) {
		if (!listing.contains(node.name())) {
			enter();
			return;
		}
		this.queue.deleteOthersOf(node, listing);
		node.watch().retain(listing);
		QueuePosition position = listing.position(node.name(), this.contender.target().mode(), request().permits());
		QueuePredecessors predecessors = this.contender.predecessors();
		if (sessions != null) {
			predecessors.compare(listing, sessions, (gone, timeout) -> this.queue.endOfLeases(node, gone, timeout));
		}
		predecessors.saw(position.rivals());
		TickNode done = doneTick(node, listing);
		QueueBlockers blockers = position.blockers(0);
		LockUnavailableException unknown = listing.takenByUnknown(this.contender.target().key());
		if (unknown != null) {
			leave(node, new AttemptOutcome.Unavailable(unknown, false));
		}
		else if (done != null) {
			leave(node, new AttemptOutcome.Done(Instant.ofEpochMilli(done.millis())));
		}
		else if (blockers != null) {
			standBehind(node, blockers, new AttemptOutcome.Busy(null, node.session().timeout()));
		}
		else {
			first(node, listing, position);
		}
	}

	/**
	 * Wait behind other nodes, or leave the queue if the request does not wait.
	 */
	private void standBehind(OwnQueueNode node, QueueBlockers blockers, AttemptOutcome.Busy busy) {
		if (request().waiting()) {
			watch(node, blockers, busy);
		}
		else {
			giveWay(node, blockers, busy);
		}
	}

	private @Nullable TickNode doneTick(OwnQueueNode node, QueueListing listing) {
		TickNode latest = listing.latestTick();
		Instant wanted = request().tick();
		boolean done = latest != null && wanted != null && latest.millis() >= wanted.toEpochMilli()
				&& !latest.isOf(node, wanted);
		return done ? latest : null;
	}

	/**
	 * Continue as the first in the queue, or with the first ones of its group. Places
	 * that have left it may still count.
	 */
	private void first(OwnQueueNode node, QueueListing listing, QueuePosition position) {
		// Former holders may still consider their leases valid.
		VacatedPlaces gone = new VacatedPlaces(position,
				this.contender.predecessors().vacated(this.queue.clock().nanoTime()));
		if (!gone.excludedFor().isZero()) {
			rest(node, gone.excludedFor());
			return;
		}
		step(node, this.queue.rests(node, position.relevant(listing.cooldowns())), (rests) -> {
			VacatedPlaces vacated = gone.with(rests);
			QueueBlockers blockers = vacated.blockers();
			if (!vacated.excludedFor().isZero()) {
				rest(node, vacated.excludedFor());
			}
			else if (blockers != null) {
				Duration next = vacated.untilNext();
				standBehind(node, blockers, new AttemptOutcome.Busy(next, next));
			}
			else {
				this.queue.deleteOver(node, rests);
				storeTick(node, listing);
			}
		});
	}

	/**
	 * End as busy, since the first in the queue may not have the lock yet.
	 */
	private void rest(OwnQueueNode node, Duration rest) {
		node.watch().forgetHolders();
		wait(node, new AttemptOutcome.Busy(rest, rest));
	}

	/**
	 * Store the tick, before the body runs.
	 */
	private void storeTick(OwnQueueNode node, QueueListing listing) {
		Instant tick = request().tick();
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
		// No heartbeat was acknowledged lately, so the lease would be over soon.
		step(node, this.queue.beat(node), (beat) -> {
			if (node.session().isValid()) {
				hold(node);
			}
			else {
				unanswered();
			}
		});
	}

	private void hold(OwnQueueNode node) {
		node.session().entries().hold(node);
		// Only a member of a group may still watch a node that exists.
		this.queue.requests().unwatch(node);
		this.contender.predecessors().clear();
		grant(node, OwnQueueNode.TOKENS, this.startedAt, node.session().entries().validity());
	}

	/**
	 * Wait behind other nodes. If one of them is gone by now, look again.
	 */
	private void watch(OwnQueueNode node, QueueBlockers blockers, AttemptOutcome.Busy busy) {
		step(node, this.queue.watch(node, blockers, this.contender.watcher()), (sessions) -> {
			this.contender.predecessors().know(sessions);
			this.queue.watchHeartbeats(node, blockers, sessions);
			wait(node, busy);
		}, () -> look(node));
	}

	private void wait(OwnQueueNode node, AttemptOutcome.Busy busy) {
		busy(node, busy, () -> node.session().entries().await(node));
	}

	/**
	 * Leave the queue, since the request does not wait.
	 */
	private void giveWay(OwnQueueNode node, QueueBlockers blockers, AttemptOutcome.Busy busy) {
		step(node, this.queue.giveWay(node, blockers), (done) -> {
			this.contender.leave();
			outcome().complete(busy);
		}, () -> look(node));
	}

	@Override
	protected void leave(OwnQueueNode node, AttemptOutcome left) {
		this.contender.leave();
		this.queue.requests().withdraw(node).whenComplete((removed, fault) -> {
			if (fault == null) {
				outcome().complete(left);
			}
			else {
				unavailable(CompletionCauses.unwrap(fault));
			}
		});
	}

	@Override
	protected boolean hasEntered() {
		return this.entered;
	}

	@Override
	protected LockUnavailableException noAnswer() {
		return RepeatedRequests.noAnswer(request().timeout());
	}

	private <T> void step(OwnQueueNode node, CompletableFuture<T> answer, Consumer<T> next) {
		step(node, answer, next, this::enter);
	}

	/**
	 * Continue with the answer to a request for a node.
	 * @param otherwise runs if a node is missing or exists already
	 */
	private <T> void step(OwnQueueNode node, CompletableFuture<T> answer, Consumer<T> next, Runnable otherwise) {
		step(node, answer, next, (fault) -> {
			if (ZooKeeperFaults.isNoNode(fault) || ZooKeeperFaults.isNodeExists(fault)) {
				otherwise.run();
			}
			else if (ZooKeeperFaults.isSessionEnd(fault)) {
				enter();
			}
			else {
				unavailable(fault);
				leaveLate(node);
			}
		});
	}

}
