package io.distributedlock.backend.zookeeper;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.distributedlock.backend.call.ManyAnswers;

/**
 * Removes expired ticks and cooldowns at keys that are no longer used. The clients that
 * created them usually do so, but may have crashed. One client at a time does this: the
 * one whose heartbeat is the first in the listing.
 *
 * @param paths the names of nodes
 * @param tickRetention how long ticks are remembered
 */
record ExpiredNodeJanitor(LockPaths paths, Duration tickRetention) {

	private static final Logger logger = LoggerFactory.getLogger(ExpiredNodeJanitor.class);

	/**
	 * The greatest number of keys. The client refuses a listing of more than a megabyte,
	 * and closes its connection.
	 */
	private static final int MOST_KEYS = 10_000;

	/**
	 * The number of keys that are checked in one flush.
	 */
	private static final int CHUNK = 100;

	/**
	 * How long an orderly close of a session is remembered, which is longer than any
	 * waiter takes to look.
	 */
	private static final Duration CLOSED_FOR = Duration.ofHours(1);

	/**
	 * Look at all keys, if it is this client's turn.
	 * @return completed when that is done
	 */
	CompletableFuture<Void> run(ZooKeeperSession session) {
		ZooKeeperRequests requests = session.requests();
		String root = this.paths.root();
		return requests.getChildren(this.paths.sessions()).thenCombine(requests.exists(root), (sessions, stat) -> {
			boolean turn = isFirst(session.heartbeat().name(), sessions);
			if (turn) {
				forgetClosed(session, sessions);
			}
			return turn && stat.getNumChildren() <= MOST_KEYS;
		})
			.thenCompose((turn) -> turn ? requests.getChildren(root) : CompletableFuture.completedFuture(List.of()))
			.thenCompose((names) -> ManyAnswers.inTurn(locks(names), CHUNK,
					(chunk) -> ManyAnswers.join(chunk.stream().map((lock) -> tidy(session, lock)))))
			.handle((done, fault) -> {
				if (fault != null) {
					logger.debug("Not all keys could be looked at", fault);
				}
				return null;
			});
	}

	private void forgetClosed(ZooKeeperSession session, List<String> sessions) {
		sessions.stream()
			.filter(SessionListing::isClosedName)
			.forEach((name) -> deleteAfter(session, this.paths.sessions() + "/" + name, CLOSED_FOR));
	}

	private List<String> locks(List<String> names) {
		return names.stream()
			.filter((name) -> this.paths.key(name).isPresent())
			.map((name) -> this.paths.child(name))
			.toList();
	}

	private CompletableFuture<List<String>> tidy(ZooKeeperSession session, String lock) {
		return session.requests().getChildren(lock).thenCompose((names) -> {
			QueueListing listing = QueueListing.of(names);
			if (!listing.queue().isEmpty() || !listing.unknown().isEmpty()) {
				// Clients in the queue remove the expired nodes.
				return CompletableFuture.completedFuture(List.of());
			}
			return ManyAnswers.join(Stream.concat(
					listing.ticks()
						.stream()
						.map((tick) -> deleteAfter(session, lock + "/" + tick.name(), this.tickRetention)),
					listing.cooldowns()
						.stream()
						.map((cooldown) -> deleteAfter(session, lock + "/" + cooldown.name(), cooldown.length()))));
		}).exceptionally((fault) -> {
			// The container was reaped, or the connection is lost. The next run tries
			// again.
			logger.debug("{} could not be looked at", lock, fault);
			return List.of();
		});
	}

	private CompletableFuture<String> deleteAfter(ZooKeeperSession session, String path, Duration length) {
		return session.requests().exists(path).thenCompose((stat) -> {
			boolean over = session.heartbeat().storeMillis() - stat.getCtime() > length.toMillis();
			return over ? session.requests().delete(path) : CompletableFuture.completedFuture(path);
		});
	}

	/**
	 * Return whether a heartbeat is the first of a listing.
	 */
	private static boolean isFirst(String name, List<String> names) {
		return SessionListing.of(names)
			.heartbeats()
			.stream()
			.map(HeartbeatNode::name)
			.min(Comparator.naturalOrder())
			.filter(name::equals)
			.isPresent();
	}

}
