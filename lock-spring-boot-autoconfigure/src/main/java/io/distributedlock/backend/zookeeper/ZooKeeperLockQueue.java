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
 * Sends the requests that create, check and give up a node in the queue for a lock. The
 * attempt decides what follows from the answers. A request that returns an answer is
 * repeated when its connection is lost, and fails with
 * {@link ZooKeeperFaults#isSessionEnd} when the session of the node has ended.
 *
 * @param paths the names of nodes
 * @param support the parts of the connection that create a node
 * @param requests repeats requests, and deletes nodes reliably
 * @param ticks the ticks
 * @param heartbeatWatches the watches of sessions
 */
record ZooKeeperLockQueue(LockPaths paths, EnqueueOperation.Support support, RepeatedRequests requests, TickNodes ticks,
		HeartbeatWatches heartbeatWatches) {

	LockClock clock() {
		return this.support.clock();
	}

	/**
	 * Record the start of an attempt.
	 * @param until completed when it is over
	 * @return the node with which an earlier attempt with the same owner id was granted
	 * the lock, or {@code null}
	 */
	@Nullable OwnQueueNode begin(OwnerId ownerId, CompletableFuture<?> until) {
		this.support.creates().begin(ownerId);
		until.whenComplete((value, failure) -> this.support.creates().end(ownerId));
		return this.support.sessions().findHeld(ownerId);
	}

	/**
	 * Prepare the creation of a node.
	 * @param contender waits with it
	 * @param until completed when no attempt waits for it any longer
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
			// In this order: the end of a session deletes all its nodes at once. So if a
			// heartbeat is listed after a node was missing, the node was removed while
			// the session lived.
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
	 * @param timeout its timeout; if {@code null}, the timeout of the own session is
	 * used, which assumes that all clients are configured alike
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
	 * Delete a node, provided that the one before still exists. Otherwise an attempt
	 * might report a free lock as busy.
	 */
	CompletableFuture<String> giveWay(OwnQueueNode node, QueueNode before) {
		List<Op> both = List.of(Op.check(node.sibling(before.name()), -1), Op.delete(node.path(), -1));
		return this.requests.askIn(node.session(), (session) -> session.requests().multi(both));
	}

	/**
	 * Return the remaining time of the longest cooldown, or zero.
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
		over.forEach((cooldown) -> node.session().requests().delete(node.sibling(cooldown.name())));
	}

	CompletableFuture<String> storeTick(OwnQueueNode node, Instant tick, List<TickNode> older) {
		return this.requests.askIn(node.session(), (session) -> this.ticks.store(node, tick, older));
	}

	/**
	 * Send a heartbeat of a node's session.
	 */
	CompletableFuture<?> beat(OwnQueueNode node) {
		return this.requests.askIn(node.session(), (session) -> session.heartbeat().beat().toCompletableFuture());
	}

	/**
	 * Delete other nodes of the same owner id.
	 */
	void deleteOthersOf(OwnQueueNode node, QueueListing listing) {
		listing.othersOf(node).forEach((other) -> node.session().requests().delete(node.sibling(other.name())));
	}

	/**
	 * The result of one look.
	 *
	 * @param queue the queue
	 * @param sessions the sessions, which were listed after it, or {@code null} if they
	 * were not requested
	 */
	record QueueLook(QueueListing queue, @Nullable SessionListing sessions) {
	}

}
