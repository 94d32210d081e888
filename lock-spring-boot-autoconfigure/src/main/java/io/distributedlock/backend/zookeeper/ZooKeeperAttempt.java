package io.distributedlock.backend.zookeeper;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import io.distributedlock.LockUnavailableException;
import io.distributedlock.backend.session.QueueAttempt;
import io.distributedlock.backend.zookeeper.QueuePlace.Blocked;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.CompletionCauses;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.OwnerId;

/**
 * One attempt. It enters the queue, or looks at the place of its node. The first in the
 * queue waits until cooldowns are over and stores its tick. It makes sure that its
 * session is known to live before it is granted the lock. The steps follow each other on
 * the client's event thread until one of them, or the timeout, decides the outcome.
 * <p>
 * With several keys, the attempt has a place in the queue for each and looks at all of
 * them. It has the locks when it is the first in all queues.
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
		OwnQueueNode granted = this.queue.begin(this.id, this.contender.target().keys().size(), outcome());
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
				guarded(() -> entered(found.node(), found.queues()));
			}
		});
	}

	/**
	 * Enter again if a node is missing. Others that are left go first, since all nodes of
	 * a request have to be created at once.
	 */
	private void enterAgain(OwnQueueNode node) {
		if (node.further().isEmpty()) {
			enter();
			return;
		}
		this.contender.leave();
		step(node, this.queue.requests().withdraw(node), (gone) -> enter(), this::enter);
	}

	private void entered(OwnQueueNode node, @Nullable List<QueueListing> queues) {
		if (queues != null && !this.contender.hasPredecessors()) {
			decide(node, queues, null);
		}
		else {
			look(node);
		}
	}

	private void look(OwnQueueNode node) {
		step(node, this.queue.look(node, this.contender.hasPredecessors()),
				(shown) -> decide(node, shown.queues(), shown.sessions()));
	}

	/**
	 * Continue with the result of a look.
	 * @param queues the queues, in the order of the keys
	 * @param sessions the sessions, which were listed after the queues, or {@code null}
	 * if they were not needed
	 */
	private void decide(OwnQueueNode node, List<QueueListing> queues, @Nullable SessionListing sessions) {
		QueuePlaces places = QueuePlaces.of(node, queues, this.contender, request().permits());
		if (!places.isComplete()) {
			enterAgain(node);
			return;
		}
		places.all().forEach((place) -> this.queue.compare(place, sessions));
		TickNode done = doneTick(node, places.last());
		List<Blocked> blocked = places.blocked();
		LockUnavailableException unknown = places.takenByUnknown(this.contender.target());
		if (unknown != null) {
			leave(node, new AttemptOutcome.Unavailable(unknown, false));
		}
		else if (done != null) {
			leave(node, new AttemptOutcome.Done(Instant.ofEpochMilli(done.millis())));
		}
		else if (!blocked.isEmpty()) {
			standBehind(node, blocked, new AttemptOutcome.Busy(null, node.session().timeout()));
		}
		else {
			first(node, places);
		}
	}

	/**
	 * Wait behind other nodes, or leave the queues if the request does not wait.
	 */
	private void standBehind(OwnQueueNode node, List<Blocked> blocked, AttemptOutcome.Busy busy) {
		if (request().waiting()) {
			watch(node, blocked, busy);
		}
		else {
			giveWay(node, blocked.get(0), busy);
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
	 * Continue as the first in the queues, or with the first ones of its group. Places
	 * that have left the queues may still count.
	 */
	private void first(OwnQueueNode node, QueuePlaces places) {
		// Former holders may still consider their leases valid.
		List<VacatedPlaces> gone = places.vacated(this.queue.clock().nanoTime());
		Duration grace = QueuePlaces.excludedFor(gone);
		if (!grace.isZero()) {
			rest(node, grace);
			return;
		}
		step(node, this.queue.rests(node, places.all()), (rests) -> {
			List<VacatedPlaces> vacated = QueuePlaces.with(gone, rests);
			Duration rest = QueuePlaces.excludedFor(vacated);
			List<Blocked> blocked = places.blocked(vacated);
			if (!rest.isZero()) {
				rest(node, rest);
			}
			else if (!blocked.isEmpty()) {
				Duration next = QueuePlaces.untilNext(vacated);
				standBehind(node, blocked, new AttemptOutcome.Busy(next, next));
			}
			else {
				this.queue.deleteOver(node, rests);
				storeTick(node, places.last());
			}
		});
	}

	/**
	 * End as busy, since the first in the queues may not have the locks yet.
	 */
	private void rest(OwnQueueNode node, Duration rest) {
		node.all().forEach((one) -> one.watch().forgetHolders());
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
		this.contender.predecessors().forEach(QueuePredecessors::clear);
		grant(node, OwnQueueNode.TOKENS, this.startedAt, node.session().entries().validity());
	}

	/**
	 * Wait behind other nodes. If one of them is gone by now, look again.
	 */
	private void watch(OwnQueueNode node, List<Blocked> blocked, AttemptOutcome.Busy busy) {
		step(node, this.queue.watch(node, blocked, this.contender.watcher()), (sessions) -> {
			this.contender.predecessors().forEach((before) -> before.know(sessions));
			this.queue.watchHeartbeats(node, blocked, sessions);
			wait(node, busy);
		}, () -> look(node));
	}

	private void wait(OwnQueueNode node, AttemptOutcome.Busy busy) {
		busy(node, busy, () -> node.session().entries().await(node));
	}

	/**
	 * Leave the queues, since the request does not wait.
	 */
	private void giveWay(OwnQueueNode node, Blocked blocked, AttemptOutcome.Busy busy) {
		step(node, this.queue.giveWay(node, blocked), (done) -> {
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
		step(node, answer, next, () -> enterAgain(node));
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
