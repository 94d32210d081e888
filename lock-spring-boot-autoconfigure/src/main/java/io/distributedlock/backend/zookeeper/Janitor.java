package io.distributedlock.backend.zookeeper;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes ticks and cooldowns whose time is over at keys that nobody uses any more: their
 * own clients do so, but may have crashed before. One client at a time does it, the one
 * whose session is the first in the listing.
 */
final class Janitor {

	private static final Logger logger = LoggerFactory.getLogger(Janitor.class);

	/**
	 * The greatest number of keys. The client refuses a listing of more than a megabyte,
	 * and closes its connection.
	 */
	private static final int MOST_KEYS = 10_000;

	/**
	 * How many keys are looked at in one flush.
	 */
	private static final int CHUNK = 100;

	private final Operation operation;

	Janitor(Operation operation) {
		this.operation = operation;
	}

	/**
	 * Look at all keys, if it is this client's turn.
	 * @return completed when that is done
	 */
	CompletableFuture<Void> run(Session session) {
		Requests requests = session.requests();
		String root = this.operation.settings().root();
		return requests.getChildren(this.operation.paths().sessions())
			.thenCombine(requests.exists(root),
					(sessions, stat) -> this.operation.isFirst(session, sessions) && stat.getNumChildren() <= MOST_KEYS)
			.thenCompose((turn) -> turn ? requests.getChildren(root) : CompletableFuture.completedFuture(List.of()))
			.thenCompose((names) -> tidy(session, locks(names), 0))
			.exceptionally((fault) -> {
				logger.debug("Not all keys could be looked at", fault);
				return null;
			});
	}

	private List<String> locks(List<String> names) {
		return names.stream()
			.filter((name) -> this.operation.paths().key(name).isPresent())
			.map((name) -> this.operation.paths().child(name))
			.toList();
	}

	private CompletableFuture<Void> tidy(Session session, List<String> locks, int from) {
		if (from >= locks.size()) {
			return CompletableFuture.completedFuture(null);
		}
		int to = Math.min(from + CHUNK, locks.size());
		List<CompletableFuture<?>> looks = new ArrayList<>();
		locks.subList(from, to).forEach((lock) -> looks.add(tidy(session, lock)));
		return CompletableFuture.allOf(looks.toArray(CompletableFuture[]::new))
			.thenCompose((done) -> tidy(session, locks, to));
	}

	private CompletableFuture<?> tidy(Session session, String lock) {
		return session.requests().getChildren(lock).thenCompose((names) -> {
			LockListing listing = LockListing.of(names);
			List<CompletableFuture<?>> deletions = new ArrayList<>();
			// Whoever is in line sees to them.
			if (listing.line().isEmpty()) {
				listing.ticks()
					.forEach((tick) -> deletions.add(deleteAfter(session, lock + "/" + tick.name(),
							this.operation.settings().tickRetention().toMillis())));
				listing.cooldowns()
					.forEach((cooldown) -> deletions
						.add(deleteAfter(session, lock + "/" + cooldown.name(), cooldown.length().toMillis())));
			}
			return CompletableFuture.allOf(deletions.toArray(CompletableFuture[]::new));
		}).exceptionally((fault) -> {
			// The container was reaped, or the connection is lost: the next time.
			logger.debug("{} could not be looked at", lock, fault);
			return null;
		});
	}

	private CompletableFuture<?> deleteAfter(Session session, String path, long millis) {
		return session.requests().exists(path).thenCompose((stat) -> {
			boolean over = this.operation.storeMillis(session) - stat.getCtime() > millis;
			return over ? session.requests().delete(path) : CompletableFuture.completedFuture(path);
		});
	}

	/**
	 * Return whether a node is the first of a listing.
	 */
	static boolean isFirst(String name, List<String> names) {
		return !names.isEmpty() && Collections.min(names).equals(name);
	}

}
