package io.distributedlock.backend.zookeeper;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.distributedlock.backend.call.ManyAnswers;
import io.distributedlock.spi.CompletionCauses;
import io.distributedlock.spi.OwnerId;

/**
 * Cleans up after attempts whose request to create a node was not answered. Such a node
 * may exist although no attempt uses it. It would keep its key busy for as long as the
 * session lives.
 * <p>
 * A creation is settled when a sync, a listing and the deletion of the listed nodes were
 * all answered. They must have been sent after the connection of the unanswered request
 * was lost. The requests of a session are executed in order, and those of an earlier
 * connection are refused once the session has moved to another one. A creation is also
 * settled when the session has ended. Until then it is kept, regardless of the TTL of the
 * attempt and of the time for which the engine abandons it.
 */
final class UnconfirmedCreates {

	private static final Logger logger = LoggerFactory.getLogger(UnconfirmedCreates.class);

	private final String root;

	// By the id of the node, as all of these. The number of attempts in progress.
	private final Map<OwnerId, Integer> attempts = new ConcurrentHashMap<>();

	private final Map<OwnerId, UnansweredCreate> creates = new ConcurrentHashMap<>();

	private final AtomicLong numbers = new AtomicLong();

	private final AtomicInteger places = new AtomicInteger();

	UnconfirmedCreates(String root) {
		this.root = root;
	}

	/**
	 * Record the start of an attempt. The nodes that it creates count as used until the
	 * attempt is over.
	 * @param count the number of nodes that it creates at a time
	 */
	void begin(OwnerId id, int count) {
		this.places.addAndGet(count);
		this.attempts.merge(id, 1, Integer::sum);
	}

	/**
	 * Record the end of an attempt, and look for other nodes of its id.
	 */
	void end(OwnerId id, int nodes) {
		this.places.addAndGet(-nodes);
		this.attempts.computeIfPresent(id, (same, count) -> (count > 1) ? count - 1 : null);
		check(id);
	}

	/**
	 * Return the number of nodes that attempts in progress may have created.
	 */
	int underWay() {
		return this.places.get();
	}

	/**
	 * Return whether a node is used, or may be used later, by a lease or a waiter.
	 */
	boolean isUsed(ZooKeeperSession session, String lockPath, QueueNode node) {
		// In the order in which a node passes from one to the next.
		if (this.attempts.containsKey(node.id())) {
			return true;
		}
		OwnQueueNode used = session.entries().find(node.id());
		return used != null && used.includes(lockPath, node.name());
	}

	/**
	 * Add an attempt when the connection of its request is known to be lost, or when
	 * later requests on that connection were not answered either.
	 */
	void add(ZooKeeperSession session, List<String> lockPaths, OwnerId id) {
		this.creates.put(id, new UnansweredCreate(this.numbers.incrementAndGet(), session, lockPaths, id));
	}

	/**
	 * Look for other nodes of a lease that has ended, or of an attempt that is over.
	 */
	void check(OwnerId id) {
		UnansweredCreate create = this.creates.get(id);
		if (create != null && create.session.isConnected()) {
			settle(create.session, List.of(create));
		}
	}

	/**
	 * Settle all creations of a session, except those of attempts in progress. Such an
	 * attempt looks for its node itself, and is checked when it is over.
	 * @return completed when all requests were answered, successfully or not
	 */
	CompletableFuture<Void> settle(ZooKeeperSession session) {
		this.creates.values().removeIf((create) -> create.session.isEnded());
		List<UnansweredCreate> due = this.creates.values()
			.stream()
			.filter((create) -> create.session == session && !this.attempts.containsKey(create.id))
			.toList();
		return due.isEmpty() ? CompletableFuture.completedFuture(null) : settle(session, due);
	}

	private CompletableFuture<Void> settle(ZooKeeperSession session, List<UnansweredCreate> due) {
		CompletableFuture<?> synced = session.requests().sync(this.root);
		Set<OwnerId> unconfirmed = due.stream().map(UnansweredCreate::id).collect(Collectors.toSet());
		Map<String, CompletableFuture<Void>> looks = due.stream()
			.flatMap((create) -> create.lockPaths.stream())
			.distinct()
			.collect(Collectors.toMap((path) -> path, (path) -> look(session, path, unconfirmed)));
		return CompletableFuture.allOf(due.stream()
			.map((create) -> ManyAnswers.join(create.lockPaths.stream().map(looks::get))
				.thenCombine(synced, (deleted, caughtUp) -> deleted)
				.handle((deleted, fault) -> settled(create, fault)))
			.toArray(CompletableFuture[]::new));
	}

	private CompletableFuture<Void> look(ZooKeeperSession session, String lockPath, Set<OwnerId> unconfirmed) {
		return session.requests()
			.deleteQueued(lockPath, (node) -> unconfirmed.contains(node.id()) && node.session() == session.id()
					&& !isUsed(session, lockPath, node));
	}

	private boolean settled(UnansweredCreate create, @Nullable Throwable fault) {
		if (fault == null) {
			// One that was added in the meantime has another number and stays.
			return this.creates.remove(create.id, create);
		}
		logger.debug("The nodes that are left at {} could not be determined yet", create.lockPaths,
				CompletionCauses.unwrap(fault));
		return false;
	}

	/**
	 * A request that was not answered.
	 *
	 * @param number its number
	 * @param session its session
	 * @param lockPaths the nodes of the locks
	 * @param id the id of the nodes
	 */
	private record UnansweredCreate(long number, ZooKeeperSession session, List<String> lockPaths, OwnerId id) {
	}

}
