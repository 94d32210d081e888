package io.distributedlock.backend.zookeeper;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

import io.distributedlock.LockMode;
import io.distributedlock.backend.call.RepeatedRequestException;
import io.distributedlock.backend.zookeeper.RepeatedRequests.DeleteResult;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.Orphan;
import io.distributedlock.spi.OwnerId;

/**
 * Releases leases and abandons attempts. A lease is identified by the name of its node,
 * which is unique, and an attempt by the id in the name.
 * <p>
 * A release whose connection is lost continues in the background until it is done or the
 * session has ended. It does so even after its caller was notified that the outcome is
 * unknown.
 */
final class ZooKeeperReleases {

	private final ZooKeeperSessions sessions;

	private final RepeatedRequests requests;

	private final UnconfirmedCreates creates;

	private final ExpiringNodes expiring;

	private final LockPaths paths;

	// Releases that no caller waits for any longer.
	private final ConcurrentMap<OwnerId, CompletableFuture<Boolean>> unanswered = new ConcurrentHashMap<>();

	ZooKeeperReleases(ZooKeeperSessions sessions, RepeatedRequests requests, UnconfirmedCreates creates,
			ExpiringNodes expiring, LockPaths paths) {
		this.sessions = sessions;
		this.requests = requests;
		this.creates = creates;
		this.expiring = expiring;
		this.paths = paths;
	}

	CompletionStage<Boolean> release(LeaseGrant grant, Duration cooldown) {
		OwnerId ownerId = grant.ownerId();
		CompletableFuture<Boolean> earlier = this.unanswered.get(ownerId);
		if (earlier != null) {
			return this.requests.bounded(earlier.copy());
		}
		OwnQueueNode node = this.sessions.findHeld(grant);
		if (node == null) {
			return notHeld(grant);
		}
		CompletableFuture<Boolean> released = release(node, grant.target(), cooldown);
		return this.requests.bounded(released.copy()).whenComplete((value, late) -> {
			if (late != null && !released.isDone()) {
				this.unanswered.put(ownerId, released);
				released.whenComplete((done, fault) -> this.unanswered.remove(ownerId, released));
			}
		});
	}

	/**
	 * Delete what is left of a lease that was lost with one of its keys.
	 */
	private CompletionStage<Boolean> notHeld(LeaseGrant grant) {
		if (grant.target().keys().size() == 1) {
			return CompletableFuture.completedFuture(false);
		}
		return abandon(new Orphan(grant.target(), grant.ownerId())).thenApply((gone) -> false);
	}

	private CompletableFuture<Boolean> release(OwnQueueNode node, LockTarget target, Duration cooldown) {
		CompletableFuture<DeleteResult> gone = cooldown.isZero() ? this.requests.delete(node)
				: exchange(node, cooldown);
		return gone.thenApply((result) -> {
			node.session().entries().remove(node);
			this.creates.check(node.id());
			if (result == DeleteResult.UNKNOWN) {
				throw new RepeatedRequestException("the ZooKeeper of the locks", "released",
						String.join(", ", target.keys()));
			}
			return result == DeleteResult.DELETED;
		});
	}

	private CompletableFuture<DeleteResult> exchange(OwnQueueNode node, Duration length) {
		CooldownNode cooldown = CooldownNode.of(length, node.id());
		Duration kept = cooldown.length().plusSeconds(1);
		return this.requests.exchange(node, cooldown).thenApply((result) -> {
			node.all()
				.stream()
				.map((one) -> one.sibling(cooldown.name()))
				.forEach((path) -> this.expiring.add(path, path, kept));
			if (cooldown.mode() != LockMode.EXCLUSIVE) {
				// A group may have many of them, which its members do not remove.
				this.requests.clock().schedule(kept, () -> sweep(node.session()));
			}
			return result;
		});
	}

	private void sweep(ZooKeeperSession session) {
		if (session.isConnected()) {
			this.expiring.sweep(session);
		}
	}

	/**
	 * Remove the queue nodes of attempts, regardless of the session that created them.
	 */
	CompletionStage<Void> abandon(List<Orphan> orphans) {
		return CompletableFuture.allOf(orphans.stream().map(this::abandon).toArray(CompletableFuture[]::new));
	}

	private CompletableFuture<Void> abandon(Orphan orphan) {
		OwnerId id = PlaceIds.of(orphan.target(), orphan.ownerId());
		OwnQueueNode held = this.sessions.findHeld(id);
		if (held != null) {
			held.session().entries().remove(held);
		}
		List<String> lockPaths = orphan.target().keys().stream().map(this.paths::lock).toList();
		return this.requests.<Void>ask((session) -> CompletableFuture.allOf(lockPaths.stream()
			.map((path) -> session.requests().deleteQueued(path, (node) -> node.id().equals(id)))
			.toArray(CompletableFuture[]::new))).whenComplete((done, fault) -> {
				ZooKeeperSession latest = this.sessions.latest();
				if (fault != null && latest != null) {
					// The engine repeats this for one TTL only.
					this.creates.add(latest, lockPaths, id);
				}
			});
	}

}
