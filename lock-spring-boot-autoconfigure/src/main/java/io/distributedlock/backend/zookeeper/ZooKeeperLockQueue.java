package io.distributedlock.backend.zookeeper;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.apache.zookeeper.Op;
import org.apache.zookeeper.Watcher;
import org.jspecify.annotations.Nullable;

import io.distributedlock.backend.call.ManyAnswers;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.OwnerId;

/**
 * The requests by which a node in the queue for a lock is made, looked after and given
 * up. They answer; what follows is decided by the attempt. Each is repeated when its
 * connection is lost, and fails with {@link ZooKeeperFaults#isSessionEnd} when the
 * session of the node has ended.
 *
 * @param paths the names of nodes
 * @param support what is needed to make a node
 * @param requests repeats requests, and deletes nodes for good
 * @param ticks the ticks
 * @param heartbeatWatches the watches of sessions
 */
record ZooKeeperLockQueue(LockPaths paths, EnqueueOperation.Support support, RepeatedRequests requests, TickNodes ticks,
		HeartbeatWatches heartbeatWatches) {

	LockClock clock() {
		return this.support.clock();
	}

	/**
	 * Take note of an attempt.
	 * @param until completed when it is over
	 * @return the node that an earlier one with the same owner id was granted the lock
	 * with, if there is one
	 */
	@Nullable OwnQueueNode begin(OwnerId ownerId, CompletableFuture<?> until) {
		this.support.creates().begin(ownerId);
		until.whenComplete((value, failure) -> this.support.creates().end(ownerId));
		return this.support.sessions().findHeld(ownerId);
	}

	/**
	 * Prepare to make a node.
	 * @param contender waits with it
	 * @param until done when nobody waits for it any more
	 */
	EnqueueOperation enqueue(ZooKeeperContender contender, LeaseRequest request, CompletableFuture<?> until) {
		return new EnqueueOperation(this.support, this.paths.lock(contender.target().key()), request,
				contender.wakeUp(), until);
	}

	/**
	 * List the queue.
	 * @param withSessions whether to list the sessions after it
	 */
	CompletableFuture<QueueLook> look(OwnQueueNode node, boolean withSessions) {
		return this.requests.askIn(node.session(), (session) -> {
			CompletableFuture<List<String>> names = session.requests().getChildren(node.lockPath());
			// In this order: a session takes all its nodes along at once, so that a
			// heartbeat that is listed after a node was missing shows that the node went
			// before it.
			CompletableFuture<@Nullable SessionListing> sessions = withSessions ? sessions(session)
					: CompletableFuture.completedFuture(null);
			return names.thenCombine(sessions, (listed, alive) -> new QueueLook(QueueListing.of(listed), alive));
		});
	}

	private CompletableFuture<SessionListing> sessions(ZooKeeperSession session) {
		return ZooKeeperFaults.orElse(session.requests().getChildren(this.paths.sessions()), List.of())
			.thenApply(SessionListing::of);
	}

	/**
	 * Return the time at which the leases of a session that is gone end at the latest.
	 * @param timeout its time-out; where it is not known, all clients are taken to be
	 * configured alike
	 */
	long endOfLeases(OwnQueueNode own, long gone, @Nullable Duration timeout) {
		return this.heartbeatWatches.endOfLeases(gone, (timeout != null) ? timeout : own.session().timeout());
	}

	/**
	 * Watch the node before, and list the sessions.
	 */
	CompletableFuture<SessionListing> watch(OwnQueueNode node, QueueNode before, Watcher watcher) {
		return this.requests.askIn(node.session(),
				(session) -> session.requests()
					.watch(node.sibling(before.name()), watcher)
					.thenCombine(sessions(session), (stat, sessions) -> sessions));
	}

	/**
	 * Delete a node, provided that the one before is still there: else nobody might have
	 * the lock, and an attempt called it busy.
	 */
	CompletableFuture<String> giveWay(OwnQueueNode node, QueueNode before) {
		List<Op> both = List.of(Op.check(node.sibling(before.name()), -1), Op.delete(node.path(), -1));
		return this.requests.askIn(node.session(), (session) -> session.requests().multi(both));
	}

	/**
	 * Return what is left of the longest cooldown, if there is one.
	 */
	CompletableFuture<Duration> restOfCooldowns(OwnQueueNode node, List<CooldownNode> running) {
		if (running.isEmpty()) {
			return CompletableFuture.completedFuture(Duration.ZERO);
		}
		return this.requests
			.askIn(node.session(),
					(session) -> ManyAnswers.join(running.stream().map((cooldown) -> rest(node, cooldown))))
			.thenApply((rests) -> rests.stream().max(Comparator.naturalOrder()).orElse(Duration.ZERO));
	}

	private CompletableFuture<Duration> rest(OwnQueueNode node, CooldownNode cooldown) {
		return ZooKeeperFaults.orElse(node.session()
			.requests()
			.exists(node.sibling(cooldown.name()))
			.thenApply((stat) -> cooldown.rest(node, stat.getCtime(), clock().nanoTime())), Duration.ZERO);
	}

	void deleteCooldowns(OwnQueueNode node, List<CooldownNode> over) {
		node.session().requests().deleteAll(over.stream().map((cooldown) -> node.sibling(cooldown.name())));
	}

	CompletableFuture<String> storeTick(OwnQueueNode node, Instant tick, List<TickNode> older) {
		return this.requests.askIn(node.session(), (session) -> this.ticks.store(node, tick, older));
	}

	/**
	 * Let the session of a node prove that it lives.
	 */
	CompletableFuture<?> beat(OwnQueueNode node) {
		return this.requests.askIn(node.session(), (session) -> session.heartbeat().beat().toCompletableFuture());
	}

	/**
	 * Delete other nodes of the same owner id.
	 */
	void deleteOthersOf(OwnQueueNode node, QueueListing listing) {
		node.session().requests().deleteAll(listing.othersOf(node).stream().map((other) -> node.sibling(other.name())));
	}

	/**
	 * What one flush has shown.
	 *
	 * @param queue the queue
	 * @param sessions what was listed after it, if that was asked for
	 */
	record QueueLook(QueueListing queue, @Nullable SessionListing sessions) {
	}

}
