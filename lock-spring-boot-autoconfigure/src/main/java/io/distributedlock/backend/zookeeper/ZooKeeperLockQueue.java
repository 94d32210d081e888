package io.distributedlock.backend.zookeeper;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;

import org.apache.zookeeper.Op;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

import io.distributedlock.backend.call.ManyAnswers;
import io.distributedlock.backend.zookeeper.QueuePlace.Blocked;
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
	 * @param id the id of the nodes that it may create
	 * @param count their number
	 * @param until completed when it is over
	 * @return the node with which an earlier attempt with the same owner id was granted
	 * the lock, or {@code null}
	 */
	@Nullable OwnQueueNode begin(OwnerId id, int count, CompletableFuture<?> until) {
		this.support.creates().begin(id, count);
		until.whenComplete((value, failure) -> this.support.creates().end(id, count));
		return this.support.sessions().findHeld(id);
	}

	/**
	 * Prepare the creation of the nodes of a request.
	 * @param contender waits with them
	 * @param id the id of the nodes
	 * @param until completed when no attempt waits for them any longer
	 */
	EnqueueOperation enqueue(ZooKeeperContender contender, OwnerId id, LeaseRequest request,
			CompletableFuture<?> until) {
		return new EnqueueOperation(this.support, contender.target().keys().stream().map(this.paths::lock).toList(), id,
				request, contender.wakeUp(), until);
	}

	/**
	 * List the queues of the nodes of a request.
	 * @param withSessions whether to list the sessions after them
	 */
	CompletableFuture<QueueLook> look(OwnQueueNode node, boolean withSessions) {
		return this.requests.askIn(node.session(), (session) -> {
			CompletableFuture<List<QueueListing>> queues = ManyAnswers.join(node.all()
				.stream()
				.map((one) -> session.requests().getChildren(one.lockPath()).thenApply(QueueListing::of)));
			// In this order: the end of a session deletes all its nodes at once. So if a
			// heartbeat is listed after a node was missing, the node was removed while
			// the session lived.
			CompletableFuture<@Nullable SessionListing> sessions = withSessions ? sessions(session)
					: CompletableFuture.completedFuture(null);
			return queues.thenCombine(sessions, QueueLook::new);
		});
	}

	private CompletableFuture<SessionListing> sessions(ZooKeeperSession session) {
		return ZooKeeperFaults.orElse(session.requests().getChildren(this.paths.sessions()), List.of())
			.thenApply(SessionListing::of);
	}

	/**
	 * Compare a place with what was seen before.
	 * @param sessions the sessions, or {@code null} if nothing was seen
	 */
	void compare(QueuePlace place, @Nullable SessionListing sessions) {
		OwnQueueNode node = place.node();
		deleteOthersOf(node, place.listing());
		node.watch().retain(place.listing());
		if (sessions != null) {
			place.predecessors()
				.compare(place.listing(), sessions, (gone, timeout) -> endOfLeases(node, gone, timeout));
		}
		place.predecessors().saw(place.position().rivals());
	}

	/**
	 * Return the time at which the leases of a session that is gone end at the latest.
	 * @param timeout its timeout; if {@code null}, the timeout of the own session is
	 * used, which assumes that all clients are configured alike
	 */
	private long endOfLeases(OwnQueueNode own, long gone, @Nullable Duration timeout) {
		return this.heartbeatWatches.endOfLeases(gone, (timeout != null) ? timeout : own.session().timeout());
	}

	/**
	 * Watch the nodes that a request waits for, and list the sessions. If it waits for
	 * several keys, those of the first one are watched: it can't have the locks before
	 * they go. The next look then watches those of another key.
	 */
	CompletableFuture<SessionListing> watch(OwnQueueNode node, List<Blocked> blocked, Watcher watcher) {
		Blocked first = blocked.get(0);
		List<QueueNode> missing = first.node().watch().missing(first.blockers());
		node.all()
			.stream()
			.filter((one) -> blocked.stream().noneMatch((other) -> other.node() == one))
			.forEach((one) -> one.watch().forgetHolders());
		return this.requests.askIn(node.session(), (session) -> {
			// Before the requests are sent, so that a withdrawal in the meantime ends
			// all.
			blocked.forEach((one) -> one.node().watch().add((one == first) ? missing : List.of(), one.blockers()));
			return ManyAnswers.join(missing.stream().map((blocker) -> watch(first.node(), blocker, watcher)))
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
	 * Watch the heartbeats of the other sessions that may have a lock.
	 */
	void watchHeartbeats(OwnQueueNode node, List<Blocked> blocked, SessionListing sessions) {
		blocked.stream()
			.flatMap((one) -> one.blockers().holders().stream())
			.mapToLong(QueueNode::session)
			.filter((session) -> session != node.session().id())
			.distinct()
			.forEach((session) -> this.heartbeatWatches.watch(node.session(), session, sessions));
	}

	/**
	 * Delete the nodes of a request, provided that the nodes that keep one of them from
	 * having the lock still exist. Otherwise an attempt might report free locks as busy.
	 */
	CompletableFuture<String> giveWay(OwnQueueNode node, Blocked blocked) {
		List<Op> all = new ArrayList<>();
		blocked.blockers()
			.checked()
			.forEach((blocker) -> all.add(Op.check(blocked.node().sibling(blocker.name()), -1)));
		node.all().forEach((one) -> all.add(Op.delete(one.path(), -1)));
		return this.requests.askIn(node.session(), (session) -> session.requests().multi(all)).thenApply((done) -> {
			this.requests.unwatch(node);
			return done;
		});
	}

	/**
	 * Return the remaining time of each cooldown, by place.
	 */
	CompletableFuture<List<Map<CooldownNode, Duration>>> rests(OwnQueueNode node, List<QueuePlace> places) {
		if (places.stream().allMatch((place) -> place.cooldowns().isEmpty())) {
			return CompletableFuture.completedFuture(Collections.nCopies(places.size(), Map.of()));
		}
		return this.requests.askIn(node.session(), (session) -> ManyAnswers.join(places.stream().map(this::restsOf)));
	}

	private CompletableFuture<Map<CooldownNode, Duration>> restsOf(QueuePlace place) {
		return ManyAnswers.join(place.cooldowns().stream().map((cooldown) -> rest(place.node(), cooldown)))
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
	void deleteOver(OwnQueueNode node, List<Map<CooldownNode, Duration>> rests) {
		for (int i = 0; i < rests.size(); i++) {
			OwnQueueNode one = node.all().get(i);
			rests.get(i).forEach((cooldown, rest) -> {
				if (rest.isZero()) {
					one.session().requests().delete(one.sibling(cooldown.name()));
				}
			});
		}
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
	private static void deleteOthersOf(OwnQueueNode node, QueueListing listing) {
		listing.othersOf(node).forEach((other) -> node.session().requests().delete(node.sibling(other.name())));
	}

	/**
	 * The result of one look.
	 *
	 * @param queues the queues, in the order of the keys
	 * @param sessions the sessions, which were listed after them, or {@code null} if they
	 * were not requested
	 */
	record QueueLook(List<QueueListing> queues, @Nullable SessionListing sessions) {
	}

}
