package io.distributedlock.backend.zookeeper;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.distributedlock.spi.CompletionCauses;
import io.distributedlock.spi.OwnerId;

/**
 * Attempts whose request to make a node was not answered, so that there may be a node
 * that no attempt knows of. It would keep its key busy for as long as the session lives.
 * <p>
 * It is settled when a sync, a listing and the deletion of what it showed were all
 * answered, sent after the connection of the unanswered request was lost: the requests of
 * a session are executed in order, and those of an earlier connection are refused once
 * the session has moved to another one. Or when the session has ended. Neither the ttl of
 * the attempt nor the engine's patience ends it.
 */
final class UnconfirmedCreates {

	private static final Logger logger = LoggerFactory.getLogger(UnconfirmedCreates.class);

	private final String root;

	// The attempts that are under way, and how many of each owner id.
	private final Map<OwnerId, Integer> attempts = new ConcurrentHashMap<>();

	private final Map<OwnerId, UnansweredCreate> creates = new ConcurrentHashMap<>();

	private final AtomicLong numbers = new AtomicLong();

	UnconfirmedCreates(String root) {
		this.root = root;
	}

	/**
	 * Take note of an attempt: what it makes is used until it is over.
	 */
	void begin(OwnerId ownerId) {
		this.attempts.merge(ownerId, 1, Integer::sum);
	}

	/**
	 * Take note of the end of an attempt, and look for other nodes of its owner id.
	 */
	void end(OwnerId ownerId) {
		this.attempts.computeIfPresent(ownerId, (id, count) -> (count > 1) ? count - 1 : null);
		check(ownerId);
	}

	/**
	 * Return how many attempts are under way.
	 */
	int underWay() {
		return this.attempts.size();
	}

	/**
	 * Return whether a node is, or may become, the one of a lease or of a waiter.
	 */
	boolean isUsed(ZooKeeperSession session, QueueNode node) {
		// In the order in which a node passes from one to the next.
		if (this.attempts.containsKey(node.ownerId())) {
			return true;
		}
		OwnQueueNode used = session.entries().find(node.ownerId());
		return used != null && used.name().equals(node.name());
	}

	/**
	 * Add an attempt, when the connection of its request is known to be lost or when
	 * later requests on it were not answered either.
	 */
	void add(ZooKeeperSession session, String lockPath, OwnerId ownerId) {
		this.creates.put(ownerId, new UnansweredCreate(this.numbers.incrementAndGet(), session, lockPath, ownerId));
	}

	/**
	 * Look for other nodes of a lease that has ended, or of an attempt that is over.
	 */
	void check(OwnerId ownerId) {
		UnansweredCreate create = this.creates.get(ownerId);
		if (create != null && create.session.isConnected()) {
			settle(create.session, List.of(create));
		}
	}

	/**
	 * Settle all of a session, but those of attempts that are under way: these look by
	 * themselves, and are checked when they are over.
	 * @return completed when the answers are there, whatever they are
	 */
	CompletableFuture<Void> settle(ZooKeeperSession session) {
		this.creates.values().removeIf((create) -> create.session.isEnded());
		List<UnansweredCreate> due = this.creates.values()
			.stream()
			.filter((create) -> create.session == session && !this.attempts.containsKey(create.ownerId))
			.toList();
		return due.isEmpty() ? CompletableFuture.completedFuture(null) : settle(session, due);
	}

	private CompletableFuture<Void> settle(ZooKeeperSession session, List<UnansweredCreate> due) {
		CompletableFuture<?> synced = session.requests().sync(this.root);
		return CompletableFuture.allOf(due.stream()
			.collect(Collectors.groupingBy(UnansweredCreate::lockPath))
			.entrySet()
			.stream()
			.map((lock) -> look(session, lock.getKey(), lock.getValue(), synced))
			.toArray(CompletableFuture[]::new));
	}

	private CompletableFuture<?> look(ZooKeeperSession session, String lockPath, List<UnansweredCreate> due,
			CompletableFuture<?> synced) {
		Set<OwnerId> unconfirmed = due.stream().map(UnansweredCreate::ownerId).collect(Collectors.toSet());
		return session.requests()
			.deleteQueued(lockPath,
					(node) -> unconfirmed.contains(node.ownerId()) && node.session() == session.id()
							&& !isUsed(session, node))
			.thenCombine(synced, (deleted, caughtUp) -> deleted)
			.handle((deleted, fault) -> {
				if (fault == null) {
					// One that has come anew meanwhile has another number, and stays.
					due.forEach((create) -> this.creates.remove(create.ownerId, create));
				}
				else {
					logger.debug("What is left at {} could not be found out yet", lockPath,
							CompletionCauses.unwrap(fault));
				}
				return null;
			});
	}

	/**
	 * A request that was not answered.
	 *
	 * @param number which one
	 * @param session its session
	 * @param lockPath the node of the lock
	 * @param ownerId the attempt
	 */
	private record UnansweredCreate(long number, ZooKeeperSession session, String lockPath, OwnerId ownerId) {
	}

}
