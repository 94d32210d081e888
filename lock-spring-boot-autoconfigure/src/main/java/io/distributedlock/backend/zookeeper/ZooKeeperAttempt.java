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

	private final EnqueueOperation enqueue;

	// Whether this attempt has created the node, or may have; read by the timer.
	private volatile boolean entered;

	ZooKeeperAttempt(ZooKeeperLockQueue queue, ZooKeeperContender contender, LeaseRequest request) {
		super(contender, request, queue.clock());
		this.queue = queue;
		this.contender = contender;
		this.startedAt = queue.clock().nanoTime();
		this.enqueue = queue.enqueue(contender, request, outcome());
	}

	/**
	 * Start by entering the queue, or by looking at the entry that is kept.
	 * @return the outcome of the attempt
	 */
	CompletableFuture<AttemptOutcome> start() {
		startTimer();
		OwnQueueNode granted = this.queue.begin(request().ownerId(), outcome());
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
		QueuePredecessors predecessors = this.contender.predecessors();
		if (sessions != null) {
			predecessors.compare(listing, sessions, (gone, timeout) -> this.queue.endOfLeases(node, gone, timeout));
		}
		predecessors.saw(listing.allBefore(node.name()));
		TickNode done = doneTick(node, listing);
		QueueNode before = listing.before(node.name());
		LockUnavailableException unknown = listing.takenByUnknown(this.contender.target().key());
		if (unknown != null) {
			leave(node, new AttemptOutcome.Unavailable(unknown, false));
		}
		else if (done != null) {
			leave(node, new AttemptOutcome.Done(Instant.ofEpochMilli(done.millis())));
		}
		else if (before == null) {
			first(node, listing, predecessors.rest(this.queue.clock().nanoTime()));
		}
		else if (request().waiting()) {
			watch(node, before);
		}
		else {
			giveWay(node, before);
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
	 * Continue as the first in the queue.
	 * @param grace how long a former holder may still consider its lease valid
	 */
	private void first(OwnQueueNode node, QueueListing listing, Duration grace) {
		if (!grace.isZero()) {
			rest(node, grace);
			return;
		}
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

	/**
	 * End as busy, since the first in the queue may not have the lock yet.
	 */
	private void rest(OwnQueueNode node, Duration rest) {
		wait(node, null, new AttemptOutcome.Busy(rest, rest));
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
		this.contender.predecessors().clear();
		grant(node, OwnQueueNode.TOKENS, this.startedAt, node.session().entries().validity());
	}

	/**
	 * Wait behind another node. If that node is gone by now, look again.
	 */
	private void watch(OwnQueueNode node, QueueNode before) {
		step(node, this.queue.watch(node, before, this.contender.watcher()), (sessions) -> {
			this.contender.predecessors().know(sessions);
			this.queue.heartbeatWatches().watch(node.session(), before.session(), sessions);
			wait(node, before, new AttemptOutcome.Busy(null, node.session().timeout()));
		}, () -> look(node));
	}

	private void wait(OwnQueueNode node, @Nullable QueueNode before, AttemptOutcome.Busy busy) {
		node.watched().set(before);
		busy(node, busy, () -> node.session().entries().await(node));
	}

	/**
	 * Leave the queue, since the request does not wait.
	 */
	private void giveWay(OwnQueueNode node, QueueNode before) {
		step(node, this.queue.giveWay(node, before), (done) -> {
			this.contender.leave();
			outcome().complete(new AttemptOutcome.Busy(null, node.session().timeout()));
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
