package io.distributedlock.backend.zookeeper;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import io.distributedlock.LockMode;

/**
 * Takes locks away from their holders, which detect this at their next renewal.
 *
 * @param holders determines the holders
 * @param requests repeats requests
 * @param expiring the cooldowns that this client has begun
 */
record ForcedReleases(LockHolders holders, RepeatedRequests requests, ExpiringNodes expiring) {

	/**
	 * Take a lock away. Each removal is sent once. If its answer is lost, the outcome is
	 * unknown.
	 */
	CompletionStage<Boolean> release(String key, Duration cooldown) {
		return this.requests.<Supplier<CompletableFuture<Boolean>>>ask((session) -> {
			session.requests().sync(this.holders.paths().lock(key));
			ForcedRemoval removal = new ForcedRemoval(session, this.holders.paths().lock(key), cooldown, this.expiring,
					() -> find(session, key));
			return find(session, key).thenApply((nodes) -> () -> this.requests.bounded(removal.remove(nodes)));
		}).thenCompose(Supplier::get);
	}

	/**
	 * Return the nodes to remove. With permits these are also the nodes that wait,
	 * because they may become holders in the meantime. Their clients enter the queue
	 * again.
	 */
	private CompletableFuture<List<QueueNode>> find(ZooKeeperSession session, String key) {
		return this.holders.find(session, key).thenCompose((candidates) -> {
			List<QueueNode> nodes = candidates.nodes();
			if (nodes.isEmpty() || nodes.get(0).mode() != LockMode.PERMITS) {
				return CompletableFuture.completedFuture(nodes);
			}
			return this.holders.read(session, key, nodes.subList(0, 1))
				.thenCompose((read) -> read.isEmpty() ? find(session, key) : CompletableFuture
					.completedFuture(candidates.holders(read).isEmpty() ? List.<QueueNode>of() : nodes));
		});
	}

}
