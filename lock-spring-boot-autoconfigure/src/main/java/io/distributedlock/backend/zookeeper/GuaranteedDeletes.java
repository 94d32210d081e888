package io.distributedlock.backend.zookeeper;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

import io.distributedlock.spi.CompletionCauses;

/**
 * Deletes the nodes of this client for good: through lost connections, until it is done
 * or the session has ended and taken the node along.
 *
 * @param requests how requests are repeated
 */
record GuaranteedDeletes(RepeatedRequests requests) {

	/**
	 * Delete a node.
	 * @return completed when it is gone
	 */
	CompletableFuture<DeleteResult> delete(OwnQueueNode node) {
		return untilGone(node, (session) -> session.requests().delete(node.path()));
	}

	/**
	 * Delete a node that waits, and end the watch of the one before it.
	 * @return completed when it is gone
	 */
	CompletableFuture<DeleteResult> withdraw(OwnQueueNode node) {
		QueueNode watched = node.watched().get();
		if (watched != null) {
			// In one flush with the deletion. No other contender of this
			// session watches that node but the next one, and only after the deletion.
			node.session().requests().unwatch(node.sibling(watched.name()));
		}
		return delete(node);
	}

	/**
	 * Delete a node and begin a cooldown in its stead, or neither: where the node is no
	 * longer there none begins, so that this may be repeated.
	 * @return completed when the node is gone
	 */
	CompletableFuture<DeleteResult> exchange(OwnQueueNode node, CooldownNode cooldown) {
		return untilGone(node, (session) -> session.requests().exchange(node.path(), node.sibling(cooldown.name())));
	}

	private CompletableFuture<DeleteResult> untilGone(OwnQueueNode node,
			Function<ZooKeeperSession, CompletableFuture<String>> request) {
		AtomicInteger sent = new AtomicInteger();
		return this.requests.askIn(node.session(), (session) -> {
			sent.incrementAndGet();
			return request.apply(session);
		}).thenApply((deleted) -> DeleteResult.DELETED).exceptionallyCompose((fault) -> {
			if (ZooKeeperFaults.isNoNode(fault)) {
				return CompletableFuture
					.completedFuture((sent.get() > 1) ? DeleteResult.UNKNOWN : DeleteResult.NOT_FOUND);
			}
			return ZooKeeperFaults.isSessionEnd(fault) ? CompletableFuture.completedFuture(DeleteResult.NOT_FOUND)
					: CompletableFuture.failedFuture(CompletionCauses.unwrap(fault));
		});
	}

	/**
	 * How a node went that is gone.
	 */
	enum DeleteResult {

		/**
		 * By the request that was answered.
		 */
		DELETED,

		/**
		 * Before the request, which was sent once, or with its session.
		 */
		NOT_FOUND,

		/**
		 * By an earlier request whose answer got lost, or before it.
		 */
		UNKNOWN

	}

}
