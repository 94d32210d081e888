package io.distributedlock.backend.zookeeper;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import io.distributedlock.LockInfo;
import io.distributedlock.LockMode;
import io.distributedlock.LockRefusedException;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.backend.LockInspection;
import io.distributedlock.backend.zookeeper.Requests.Content;

/**
 * Looks at locks for people, after the server has caught up with the leader, and takes
 * them away.
 */
final class Inspection implements LockInspection {

	/**
	 * How many locks are asked for in one flush.
	 */
	private static final int CHUNK = 200;

	private final Operation operation;

	Inspection(Operation operation) {
		this.operation = operation;
	}

	@Override
	public CompletionStage<Optional<LockInfo>> find(String key) {
		String path = this.operation.paths().lock(key);
		return within((session) -> {
			session.requests().sync(path);
			// The start of an application asks for this: it ends where locks can't be
			// had.
			return this.operation.begun(session).thenCombine(describe(session, key, path), (begun, found) -> found);
		});
	}

	@Override
	public CompletionStage<List<LockInfo>> list() {
		String root = this.operation.settings().root();
		return within((session) -> {
			session.requests().sync(root);
			return Faults.orElse(session.requests().getChildren(root), List.of())
				.thenCompose((names) -> describe(session, names, 0, new ArrayList<>()));
		});
	}

	private CompletableFuture<List<LockInfo>> describe(Session session, List<String> names, int from,
			List<LockInfo> found) {
		if (from >= names.size()) {
			return CompletableFuture.completedFuture(found);
		}
		int to = Math.min(from + CHUNK, names.size());
		CompletableFuture<List<LockInfo>> chunk = CompletableFuture.completedFuture(found);
		for (String name : names.subList(from, to)) {
			Optional<String> key = this.operation.paths().key(name);
			if (key.isPresent()) {
				chunk = chunk.thenCombine(describeIfKnown(session, key.get(), this.operation.paths().child(name)),
						(all, lock) -> {
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
	private CompletableFuture<Optional<LockInfo>> describeIfKnown(Session session, String key, String path) {
		return describe(session, key, path).exceptionallyCompose((fault) -> {
			Throwable cause = Faults.cause(fault);
			return (cause instanceof LockUnavailableException && !(cause instanceof LockRefusedException))
					? CompletableFuture.completedFuture(Optional.empty()) : CompletableFuture.failedFuture(cause);
		});
	}

	private CompletableFuture<Optional<LockInfo>> describe(Session session, String key, String path) {
		return holder(session, key, path).thenCompose((holder) -> {
			if (holder == null) {
				return CompletableFuture.completedFuture(Optional.empty());
			}
			// Gone meanwhile: somebody else may have it now.
			return this.<Optional<LockInfo>>otherwise(
					session.requests()
						.getData(path + "/" + holder.name())
						.thenApply((content) -> Optional.of(describe(session, key, content))),
					() -> describe(session, key, path));
		});
	}

	private LockInfo describe(Session session, String key, Content content) {
		String[] data = content.text().split("\n", 2);
		int span = data[0].matches("\\d{1,4}") ? Integer.parseInt(data[0]) : 1;
		long heldFor = Math.min(CooldownNode.LONGEST.toMillis(),
				Math.max(0, this.operation.storeMillis(session) - content.stat().getCtime()));
		return new LockInfo(key, (data.length > 1) ? data[1] : "?", LockMode.EXCLUSIVE,
				Place.firstToken(content.stat().getCzxid()) + span - 1, Duration.ofMillis(heldFor),
				Duration.ofNanos(session.timeout()));
	}

	/**
	 * Return who has the lock: the first in line, unless that one waits for the end of a
	 * cooldown.
	 */
	private CompletableFuture<@Nullable LineNode> holder(Session session, String key, String path) {
		return Faults.orElse(session.requests().getChildren(path), List.of()).thenCompose((names) -> {
			LockListing listing = LockListing.of(names);
			LockUnavailableException unknown = listing.takenByUnknown(key);
			if (unknown != null) {
				return CompletableFuture.failedFuture(unknown);
			}
			CompletableFuture<@Nullable LineNode> holder = CompletableFuture
				.completedFuture(listing.first().orElse(null));
			if (listing.line().isEmpty()) {
				return holder;
			}
			for (CooldownNode cooldown : listing.cooldowns()) {
				holder = holder.thenCombine(isOver(session, path, cooldown), (first, over) -> over ? first : null);
			}
			return holder;
		});
	}

	private CompletableFuture<Boolean> isOver(Session session, String path, CooldownNode cooldown) {
		return Faults.orElse(session.requests()
			.exists(path + "/" + cooldown.name())
			.thenApply(
					(stat) -> Cooldowns.rest(cooldown, stat.getCtime(), this.operation.storeMillis(session)).isZero()),
				true);
	}

	/**
	 * Take a lock away from its holder, which learns of it with its next renewal. The
	 * removal is sent once: if its answer is lost, the outcome is unknown.
	 */
	@Override
	public CompletionStage<Boolean> forceRelease(String key, Duration cooldown) {
		String path = this.operation.paths().lock(key);
		return within((session) -> {
			session.requests().sync(path);
			return holder(session, key, path).thenApply((holder) -> new Found(session, holder));
		}).thenCompose((found) -> {
			LineNode holder = found.holder;
			return (holder != null) ? remove(found.session, path, holder, cooldown)
					: CompletableFuture.completedFuture(false);
		});
	}

	private CompletableFuture<Boolean> remove(Session session, String path, LineNode holder, Duration cooldown) {
		String node = path + "/" + holder.name();
		CompletableFuture<String> gone = cooldown.isZero() ? session.requests().delete(node)
				: exchange(session, path, node, CooldownNode.of(cooldown, holder.ownerId()));
		CompletableFuture<Boolean> removed = gone.thenApply((done) -> {
			session.lose(holder.ownerId());
			return true;
		});
		this.operation.calls().bound(removed, this.operation.settings().callTimeout());
		return Faults.orElse(removed, false);
	}

	/**
	 * Remove a place and begin a cooldown in its stead, or neither.
	 */
	private CompletableFuture<String> exchange(Session session, String path, String node, CooldownNode cooldown) {
		String begun = path + "/" + cooldown.name();
		return session.requests().exchange(node, begun).whenComplete((done, fault) -> {
			if (fault == null || !Faults.isNoNode(fault)) {
				this.operation.leftovers().add(begun, begun, cooldown.length().plusSeconds(1));
			}
		});
	}

	private <T> CompletableFuture<T> within(Function<Session, CompletableFuture<T>> request) {
		return this.operation.calls().within(this.operation.settings().callTimeout(), request);
	}

	private <T> CompletableFuture<T> otherwise(CompletableFuture<T> answer, Supplier<CompletableFuture<T>> other) {
		return answer.exceptionallyCompose(
				(fault) -> Faults.isNoNode(fault) ? other.get() : CompletableFuture.failedFuture(Faults.cause(fault)));
	}

	private record Found(Session session, @Nullable LineNode holder) {
	}

}
