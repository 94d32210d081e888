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
import io.distributedlock.backend.zookeeper.ZooKeeperRequests.Content;
import io.distributedlock.spi.CompletionCauses;

/**
 * Looks at locks for people, after the server has caught up with the leader, and takes
 * them away.
 */
final class ZooKeeperInspection {

	/**
	 * How many locks are asked for in one flush.
	 */
	private static final int CHUNK = 200;

	private final LockPaths paths;

	private final RepeatedRequests requests;

	private final ExpiringNodes expiring;

	ZooKeeperInspection(LockPaths paths, RepeatedRequests requests, ExpiringNodes expiring) {
		this.paths = paths;
		this.requests = requests;
		this.expiring = expiring;
	}

	CompletionStage<Optional<LockInfo>> find(String key) {
		String path = this.paths.lock(key);
		return this.requests.ask((session) -> {
			session.requests().sync(path);
			// The start of an application asks for this: it ends where locks can't be
			// had.
			return session.heartbeat().begun().thenCombine(describe(session, key, path), (begun, found) -> found);
		});
	}

	CompletionStage<List<LockInfo>> list() {
		String root = this.paths.root();
		return this.requests.ask((session) -> {
			session.requests().sync(root);
			return ZooKeeperFaults.orElse(session.requests().getChildren(root), List.of())
				.thenCompose((names) -> describe(session, names, 0, new ArrayList<>()));
		});
	}

	private CompletableFuture<List<LockInfo>> describe(ZooKeeperSession session, List<String> names, int from,
			List<LockInfo> found) {
		if (from >= names.size()) {
			return CompletableFuture.completedFuture(found);
		}
		int to = Math.min(from + CHUNK, names.size());
		CompletableFuture<List<LockInfo>> chunk = CompletableFuture.completedFuture(found);
		for (String name : names.subList(from, to)) {
			Optional<String> key = this.paths.key(name);
			if (key.isPresent()) {
				chunk = chunk.thenCombine(describeIfKnown(session, key.get(), this.paths.child(name)), (all, lock) -> {
					lock.ifPresent(all::add);
					return all;
				});
			}
		}
		return chunk.thenCompose((done) -> describe(session, names, to, done));
	}

	/**
	 * Leave out a lock of which this version can't tell who has it, rather than show
	 * none.
	 */
	private CompletableFuture<Optional<LockInfo>> describeIfKnown(ZooKeeperSession session, String key, String path) {
		return describe(session, key, path).exceptionallyCompose((fault) -> {
			Throwable cause = CompletionCauses.unwrap(fault);
			return (cause instanceof LockUnavailableException && !(cause instanceof LockRefusedException))
					? CompletableFuture.completedFuture(Optional.empty()) : CompletableFuture.failedFuture(cause);
		});
	}

	private CompletableFuture<Optional<LockInfo>> describe(ZooKeeperSession session, String key, String path) {
		return holder(session, key, path).thenCompose((holder) -> {
			if (holder == null) {
				return CompletableFuture.completedFuture(Optional.empty());
			}
			// Gone meanwhile: somebody else may have it now.
			return ZooKeeperFaults.<Optional<LockInfo>>orElseAsk(
					session.requests()
						.getData(path + "/" + holder.name())
						.thenApply((content) -> Optional.of(describe(session, key, content))),
					() -> describe(session, key, path));
		});
	}

	private LockInfo describe(ZooKeeperSession session, String key, Content content) {
		String[] data = content.text().split("\n", 2);
		int span = data[0].matches("\\d{1,4}") ? Integer.parseInt(data[0]) : 1;
		long heldFor = Math.min(CooldownNode.LONGEST.toMillis(),
				Math.max(0, session.heartbeat().storeMillis() - content.stat().getCtime()));
		return new LockInfo(key, (data.length > 1) ? data[1] : "?", LockMode.EXCLUSIVE,
				OwnQueueNode.firstToken(content.stat().getCzxid()) + span - 1, Duration.ofMillis(heldFor),
				session.timeout());
	}

	/**
	 * Return who has the lock: the first in the queue, unless that one waits for the end
	 * of a cooldown.
	 */
	private CompletableFuture<@Nullable QueueNode> holder(ZooKeeperSession session, String key, String path) {
		return ZooKeeperFaults.orElse(session.requests().getChildren(path), List.of()).thenCompose((names) -> {
			QueueListing listing = QueueListing.of(names);
			LockUnavailableException unknown = listing.takenByUnknown(key);
			if (unknown != null) {
				return CompletableFuture.failedFuture(unknown);
			}
			CompletableFuture<@Nullable QueueNode> holder = CompletableFuture
				.completedFuture(listing.first().orElse(null));
			if (listing.queue().isEmpty()) {
				return holder;
			}
			for (CooldownNode cooldown : listing.cooldowns()) {
				holder = holder.thenCombine(isOver(session, path, cooldown), (first, over) -> over ? first : null);
			}
			return holder;
		});
	}

	private CompletableFuture<Boolean> isOver(ZooKeeperSession session, String path, CooldownNode cooldown) {
		return ZooKeeperFaults.orElse(session.requests()
			.exists(path + "/" + cooldown.name())
			.thenApply((stat) -> CooldownNodes.rest(cooldown, stat.getCtime(), session.heartbeat().storeMillis())
				.isZero()), true);
	}

	/**
	 * Take a lock away from its holder, which learns of it with its next renewal. The
	 * removal is sent once: if its answer is lost, the outcome is unknown.
	 */
	CompletionStage<Boolean> forceRelease(String key, Duration cooldown) {
		String path = this.paths.lock(key);
		return this.requests.<Supplier<CompletableFuture<Boolean>>>ask((session) -> {
			session.requests().sync(path);
			return holder(session, key, path).thenApply((holder) -> () -> remove(session, path, holder, cooldown));
		}).thenCompose(Supplier::get);
	}

	private CompletableFuture<Boolean> remove(ZooKeeperSession session, String path, @Nullable QueueNode holder,
			Duration cooldown) {
		if (holder == null) {
			return CompletableFuture.completedFuture(false);
		}
		String node = path + "/" + holder.name();
		CompletableFuture<String> gone = cooldown.isZero() ? session.requests().delete(node)
				: exchange(session, path, node, CooldownNode.of(cooldown, holder.ownerId()));
		CompletableFuture<Boolean> removed = gone.thenApply((done) -> {
			session.entries().lose(holder.ownerId());
			return true;
		});
		return ZooKeeperFaults.orElse(this.requests.bounded(removed), false);
	}

	/**
	 * Remove a node and begin a cooldown in its stead, or neither.
	 */
	private CompletableFuture<String> exchange(ZooKeeperSession session, String path, String node,
			CooldownNode cooldown) {
		String begun = path + "/" + cooldown.name();
		return session.requests().exchange(node, begun).whenComplete((done, fault) -> {
			if (fault == null || !ZooKeeperFaults.isNoNode(fault)) {
				this.expiring.add(begun, begun, cooldown.length().plusSeconds(1));
			}
		});
	}

}
