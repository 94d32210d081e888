package io.distributedlock.backend.zookeeper;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;

import org.apache.zookeeper.Op;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.data.Stat;
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
	 * @param id the id of the node that it may create
	 * @param until completed when it is over
	 * @return the node with which an earlier attempt with the same owner id was granted
	 * the lock, or {@code null}
	 */
	@Nullable OwnQueueNode begin(OwnerId id, CompletableFuture<?> until) {
		this.support.creates().begin(id);
		until.whenComplete((value, failure) -> this.support.creates().end(id));
		return this.support.sessions().findHeld(id);
	}

	/**
	 * Prepare the creation of a node.
	 * @param contender waits with it
	 * @param id the id of the node
	 * @param until completed when no attempt waits for it any longer
	 */
	EnqueueOperation enqueue(ZooKeeperContender contender, OwnerId id, LeaseRequest request,
			CompletableFuture<?> until) {
		return new EnqueueOperation(this.support, this.paths.lock(contender.target().key()), id, request,
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
	 * Watch the nodes that a node waits for, and list the sessions.
	 */
	CompletableFuture<SessionListing> watch(OwnQueueNode node, QueueBlockers blockers, Watcher watcher) {
		List<QueueNode> missing = node.watch().missing(blockers);
		return this.requests.askIn(node.session(), (session) -> {
			// Before the requests are sent, so that a withdrawal in the meantime ends
			// all.
			node.watch().add(missing, blockers);
			return ManyAnswers.join(missing.stream().map((blocker) -> watch(node, blocker, watcher)))
				.thenCombine(sessions(session), (watched, sessions) -> sessions);
		});
	}

	private CompletableFuture<Stat> watch(OwnQueueNode node, QueueNode blocker, Watcher watcher) {
		return node.session().requests().watch(node.sibling(blocker.name()), watcher).whenComplete((stat, fault) -> {
			if (fault != null) {
				node.watch().remove(blocker);
			}
		});
	}

	/**
	 * Watch the heartbeats of the other sessions that may have the lock.
	 */
	void watchHeartbeats(OwnQueueNode node, QueueBlockers blockers, SessionListing sessions) {
		blockers.holders()
			.stream()
			.mapToLong(QueueNode::session)
			.filter((session) -> session != node.session().id())
			.distinct()
			.forEach((session) -> this.heartbeatWatches.watch(node.session(), session, sessions));
	}

	/**
	 * Delete a node, provided that the nodes that keep it from having the lock still
	 * exist. Otherwise an attempt might report a free lock as busy.
	 */
	CompletableFuture<String> giveWay(OwnQueueNode node, QueueBlockers blockers) {
		List<Op> all = new ArrayList<>();
		blockers.checked().forEach((blocker) -> all.add(Op.check(node.sibling(blocker.name()), -1)));
		all.add(Op.delete(node.path(), -1));
		return this.requests.askIn(node.session(), (session) -> session.requests().multi(all)).thenApply((done) -> {
			this.requests.unwatch(node);
			return done;
		});
	}

	/**
	 * Return the remaining time of each cooldown.
	 */
	CompletableFuture<Map<CooldownNode, Duration>> rests(OwnQueueNode node, List<CooldownNode> cooldowns) {
		if (cooldowns.isEmpty()) {
			return CompletableFuture.completedFuture(Map.of());
		}
		return this.requests
			.askIn(node.session(),
					(session) -> ManyAnswers.join(cooldowns.stream().map((cooldown) -> rest(node, cooldown))))
			.thenApply((rests) -> rests.stream().collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue)));
	}

	private CompletableFuture<Map.Entry<CooldownNode, Duration>> rest(OwnQueueNode node, CooldownNode cooldown) {
		return ZooKeeperFaults
			.orElse(node.session()
				.requests()
				.exists(node.sibling(cooldown.name()))
				.thenApply((stat) -> cooldown.rest(node, stat.getCtime(), clock().nanoTime())), Duration.ZERO)
			.thenApply((rest) -> Map.entry(cooldown, rest));
	}

	/**
	 * Delete the cooldowns that are over.
	 */
	void deleteOver(OwnQueueNode node, Map<CooldownNode, Duration> rests) {
		rests.forEach((cooldown, rest) -> {
			if (rest.isZero()) {
				node.session().requests().delete(node.sibling(cooldown.name()));
			}
		});
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
	 * Delete other nodes of the same attempt.
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
