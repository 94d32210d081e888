package io.distributedlock.backend.zookeeper;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import io.distributedlock.LockInfo;
import io.distributedlock.LockMode;
import io.distributedlock.LockRefusedException;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.backend.call.ManyAnswers;
import io.distributedlock.backend.session.SessionEntry;
import io.distributedlock.backend.zookeeper.ZooKeeperRequests.Content;
import io.distributedlock.spi.CompletionCauses;
import io.distributedlock.spi.LockPage;

/**
 * Shows locks to administrators, after the server has caught up with the leader, and
 * releases them by force.
 *
 * @param paths the nodes of locks
 * @param requests repeats requests
 * @param expiring the cooldowns that this client has begun
 */
record ZooKeeperInspection(LockPaths paths, RepeatedRequests requests, ExpiringNodes expiring) {

	/**
	 * The number of locks that are read in one flush.
	 */
	private static final int FLUSH = 200;

	CompletionStage<Optional<LockInfo>> find(String key) {
		return this.requests.ask((session) -> {
			session.requests().sync(this.paths.lock(key));
			// The startup of an application calls this, and fails if locks can't be
			// obtained.
			return session.heartbeat().begun().thenCombine(describe(session, key), (begun, found) -> found);
		});
	}

	/**
	 * List locks in the order of their keys. The server returns the names of all of them
	 * at once; only those of the page are looked at.
	 */
	CompletionStage<LockPage> list(@Nullable String next, int limit) {
		String root = this.paths.root();
		return this.requests.ask((session) -> {
			session.requests().sync(root);
			return ZooKeeperFaults.orElse(session.requests().getChildren(root), List.of())
				.thenApply((names) -> names.stream()
					.flatMap((name) -> this.paths.key(name).stream())
					.filter((key) -> next == null || key.compareTo(next) > 0)
					.sorted()
					.toList())
				.thenCompose((keys) -> page(session, keys, limit, new ArrayList<>()));
		});
	}

	private CompletableFuture<LockPage> page(ZooKeeperSession session, List<String> keys, int limit,
			List<LockInfo> found) {
		int number = Math.min(Math.min(FLUSH, limit - found.size()), keys.size());
		return describeIfKnown(session, keys.subList(0, number)).thenCompose((locks) -> {
			found.addAll(locks);
			if (number == keys.size()) {
				return CompletableFuture.completedFuture(new LockPage(found, null));
			}
			return (found.size() < limit) ? page(session, keys.subList(number, keys.size()), limit, found)
					: CompletableFuture.completedFuture(new LockPage(found, keys.get(number - 1)));
		});
	}

	private CompletableFuture<List<LockInfo>> describeIfKnown(ZooKeeperSession session, List<String> keys) {
		return ManyAnswers.join(keys.stream().map((key) -> describeIfKnown(session, key)))
			.thenApply((found) -> found.stream().flatMap(Optional::stream).toList());
	}

	/**
	 * Leave out a lock whose holder this version can't determine, so that the other locks
	 * are still shown.
	 */
	private CompletableFuture<Optional<LockInfo>> describeIfKnown(ZooKeeperSession session, String key) {
		return describe(session, key).exceptionallyCompose((fault) -> {
			Throwable cause = CompletionCauses.unwrap(fault);
			return (cause instanceof LockUnavailableException && !(cause instanceof LockRefusedException))
					? CompletableFuture.completedFuture(Optional.empty()) : CompletableFuture.failedFuture(cause);
		});
	}

	private CompletableFuture<Optional<LockInfo>> describe(ZooKeeperSession session, String key) {
		return holder(session, key).thenCompose((holder) -> {
			if (holder.isEmpty()) {
				return CompletableFuture.completedFuture(Optional.empty());
			}
			// The node is gone by now, and another client may have the lock.
			return ZooKeeperFaults.<Optional<LockInfo>>orElseAsk(
					session.requests()
						.getData(path(key, holder.get().name()))
						.thenApply((content) -> Optional.of(describe(session, key, content))),
					() -> describe(session, key));
		});
	}

	private LockInfo describe(ZooKeeperSession session, String key, Content content) {
		String[] data = content.text().split("\n", 2);
		int span = data[0].matches("\\d{1,4}") ? Integer.parseInt(data[0]) : 1;
		return new LockInfo(key, (data.length > 1) ? data[1] : "?", LockMode.EXCLUSIVE,
				SessionEntry.firstToken(content.stat().getCzxid()) + span - 1,
				Duration.ofMillis(session.heartbeat().storeMillis() - content.stat().getCtime()), session.timeout());
	}

	/**
	 * Return the holder: the first in the queue, unless it waits for the end of a
	 * cooldown.
	 */
	private CompletableFuture<Optional<QueueNode>> holder(ZooKeeperSession session, String key) {
		return ZooKeeperFaults.orElse(session.requests().getChildren(this.paths.lock(key)), List.of())
			.thenCompose((names) -> {
				QueueListing listing = QueueListing.of(names);
				LockUnavailableException unknown = listing.takenByUnknown(key);
				if (unknown != null) {
					return CompletableFuture.failedFuture(unknown);
				}
				if (listing.queue().isEmpty()) {
					return CompletableFuture.completedFuture(Optional.empty());
				}
				return ManyAnswers
					.join(listing.cooldowns()
						.stream()
						.map((cooldown) -> isOver(session, path(key, cooldown.name()), cooldown)))
					.thenApply((over) -> listing.first().filter((first) -> !over.contains(false)));
			});
	}

	private CompletableFuture<Boolean> isOver(ZooKeeperSession session, String path, CooldownNode cooldown) {
		return ZooKeeperFaults.orElse(
				session.requests()
					.exists(path)
					.thenApply((stat) -> cooldown.rest(stat.getCtime(), session.heartbeat().storeMillis()).isZero()),
				true);
	}

	/**
	 * Take a lock away from its holder, which detects this at its next renewal. The
	 * removal is sent once. If its answer is lost, the outcome is unknown.
	 */
	CompletionStage<Boolean> forceRelease(String key, Duration cooldown) {
		return this.requests.<Supplier<CompletableFuture<Boolean>>>ask((session) -> {
			session.requests().sync(this.paths.lock(key));
			return holder(session, key)
				.thenApply((holder) -> () -> holder.map((node) -> remove(session, key, node, cooldown))
					.orElse(CompletableFuture.completedFuture(false)));
		}).thenCompose(Supplier::get);
	}

	private CompletableFuture<Boolean> remove(ZooKeeperSession session, String key, QueueNode holder,
			Duration cooldown) {
		String node = path(key, holder.name());
		CompletableFuture<String> gone = cooldown.isZero() ? session.requests().delete(node)
				: exchange(session, key, node, CooldownNode.of(cooldown, holder.ownerId()));
		CompletableFuture<Boolean> removed = gone.thenApply((done) -> {
			session.entries().lose(holder.ownerId());
			return true;
		});
		return ZooKeeperFaults.orElse(this.requests.bounded(removed), false);
	}

	/**
	 * Remove a node and begin a cooldown in its place, in one transaction.
	 */
	private CompletableFuture<String> exchange(ZooKeeperSession session, String key, String node,
			CooldownNode cooldown) {
		String begun = path(key, cooldown.name());
		return session.requests().exchange(node, begun).whenComplete((done, fault) -> {
			if (fault == null || !ZooKeeperFaults.isNoNode(fault)) {
				this.expiring.add(begun, begun, cooldown.length().plusSeconds(1));
			}
		});
	}

	private String path(String key, String name) {
		return this.paths.lock(key) + "/" + name;
	}

}
