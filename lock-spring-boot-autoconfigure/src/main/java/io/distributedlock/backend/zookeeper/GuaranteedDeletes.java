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
	CompletableFuture<Result> delete(OwnQueueNode node) {
		return untilGone(node, (session) -> session.requests().delete(node.path()));
	}

	/**
	 * Delete a node that waits, and end the watch of the one before it.
	 * @return completed when it is gone
	 */
	CompletableFuture<Result> withdraw(OwnQueueNode node) {
		QueueNode watched = node.watched();
		if (watched != null) {
			// In one flush with the deletion. Nobody else watches that node in this
			// session but who is next in line, and only after the deletion.
			node.session().requests().unwatch(node.sibling(watched.name()));
		}
		return delete(node);
	}

	/**
	 * Delete a node and begin a cooldown in its stead, or neither: where the node is no
	 * longer there none begins, so that this may be repeated.
	 * @return completed when the node is gone
	 */
	CompletableFuture<Result> exchange(OwnQueueNode node, CooldownNode cooldown) {
		return untilGone(node, (session) -> session.requests().exchange(node.path(), node.sibling(cooldown.name())));
	}

	private CompletableFuture<Result> untilGone(OwnQueueNode node,
			Function<ZooKeeperSession, CompletableFuture<String>> request) {
		AtomicInteger sent = new AtomicInteger();
		return this.requests.askIn(node.session(), (session) -> {
			sent.incrementAndGet();
			return request.apply(session);
		}).thenApply((deleted) -> Result.DELETED).exceptionallyCompose((fault) -> {
			if (ZooKeeperFaults.isNoNode(fault)) {
				return CompletableFuture.completedFuture((sent.get() > 1) ? Result.UNKNOWN : Result.NOT_FOUND);
			}
			return ZooKeeperFaults.isSessionEnd(fault) ? CompletableFuture.completedFuture(Result.NOT_FOUND)
					: CompletableFuture.failedFuture(CompletionCauses.unwrap(fault));
		});
	}

	/**
	 * How a node went that is gone.
	 */
	enum Result {

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
