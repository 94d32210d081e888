package io.distributedlock.backend.zookeeper;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

import org.jspecify.annotations.Nullable;

import io.distributedlock.backend.LeaseReleases;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.Orphan;
import io.distributedlock.spi.OwnerId;

/**
 * Gives locks back: leases by the name of their node, which nobody else's can have, and
 * attempts by their owner id.
 * <p>
 * A release whose connection is lost goes on in the background until it is done or the
 * session has ended, also after who asked for it was told that its outcome is unknown.
 */
final class Releases implements LeaseReleases {

	private final Operation operation;

	// Releases that nobody waits for any more.
	private final ConcurrentMap<OwnerId, CompletableFuture<Boolean>> unanswered = new ConcurrentHashMap<>();

	Releases(Operation operation) {
		this.operation = operation;
	}

	@Override
	public CompletionStage<Boolean> release(LeaseGrant grant, Duration cooldown) {
		CompletableFuture<Boolean> answer = new CompletableFuture<>();
		CompletableFuture<Boolean> earlier = this.unanswered.get(grant.ownerId());
		if (earlier != null) {
			earlier.whenComplete((released, fault) -> settle(answer, released, fault));
		}
		else {
			begin(grant, cooldown, answer);
		}
		this.operation.calls().bound(answer, this.operation.settings().callTimeout());
		return answer;
	}

	private void begin(LeaseGrant grant, Duration cooldown, CompletableFuture<Boolean> answer) {
		OwnerId ownerId = grant.ownerId();
		Place place = this.operation.held(ownerId);
		if (place == null || place.firstToken() != grant.token().first()) {
			answer.complete(false);
			return;
		}
		CompletableFuture<Boolean> released = cooldown.isZero() ? this.operation.removals().remove(place)
				: exchange(place, cooldown);
		answer.whenComplete((value, late) -> {
			if (late != null && !released.isDone()) {
				this.unanswered.put(ownerId, released);
				released.whenComplete((done, fault) -> this.unanswered.remove(ownerId, released));
			}
		});
		released.whenComplete((done, fault) -> {
			if (fault == null) {
				place.session().forget(ownerId);
				this.operation.doubts().check(ownerId);
			}
			settle(answer, done, fault);
		});
	}

	private CompletableFuture<Boolean> exchange(Place place, Duration length) {
		CooldownNode cooldown = CooldownNode.of(length, place.ownerId());
		String path = place.lockPath() + "/" + cooldown.name();
		return this.operation.removals().exchange(place, cooldown).thenApply((removed) -> {
			this.operation.leftovers().add(path, path, cooldown.length().plusSeconds(1));
			return removed;
		});
	}

	private static <T> void settle(CompletableFuture<T> answer, T value, @Nullable Throwable fault) {
		if (fault == null) {
			answer.complete(value);
		}
		else {
			answer.completeExceptionally(Faults.cause(fault));
		}
	}

	/**
	 * Remove what is in line under owner ids, in whatever session it was made.
	 */
	@Override
	public CompletionStage<Void> abandon(List<Orphan> orphans) {
		List<CompletableFuture<?>> asked = new ArrayList<>();
		for (Orphan orphan : orphans) {
			Place place = this.operation.held(orphan.ownerId());
			if (place != null) {
				place.session().forget(orphan.ownerId());
			}
			String lockPath = this.operation.paths().lock(orphan.target().key());
			asked.add(abandon(lockPath, orphan.ownerId()).whenComplete((done, fault) -> {
				Session latest = this.operation.sessions().latest();
				if (fault != null && latest != null) {
					// The engine repeats this for one ttl only.
					this.operation.doubts().add(latest, lockPath, orphan.ownerId());
				}
			}));
		}
		return CompletableFuture.allOf(asked.toArray(CompletableFuture[]::new));
	}

	private CompletableFuture<String> abandon(String lockPath, OwnerId ownerId) {
		return this.operation.calls()
			.within(this.operation.settings().callTimeout(), (session) -> session.requests()
				.getChildren(lockPath)
				.thenCompose((names) -> delete(session, lockPath, ownerId, LockListing.of(names)))
				.exceptionallyCompose((fault) -> Faults.isNoNode(fault) ? CompletableFuture.completedFuture(lockPath)
						: CompletableFuture.failedFuture(Faults.cause(fault))));
	}

	private static CompletableFuture<String> delete(Session session, String lockPath, OwnerId ownerId,
			LockListing listing) {
		CompletableFuture<String> deleted = CompletableFuture.completedFuture(lockPath);
		for (LineNode node : listing.line()) {
			if (node.ownerId().equals(ownerId)) {
				deleted = deleted.thenCombine(session.requests().delete(lockPath + "/" + node.name()),
						(before, path) -> lockPath);
			}
		}
		return deleted;
	}

}
