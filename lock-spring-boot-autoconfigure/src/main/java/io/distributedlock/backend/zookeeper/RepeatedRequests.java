package io.distributedlock.backend.zookeeper;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.Op;
import org.jspecify.annotations.Nullable;

import io.distributedlock.backend.call.ManyAnswers;
import io.distributedlock.backend.call.NoAnswerException;
import io.distributedlock.spi.CompletionCauses;
import io.distributedlock.spi.LockClock;

/**
 * Repeats requests when their connection is lost, until they are answered or no caller
 * waits for the answer any longer. Only for requests that may be executed twice.
 *
 * @param sessions the sessions
 * @param clock the time
 * @param timeout how long a caller waits for an answer, if the call is bounded
 */
record RepeatedRequests(ZooKeeperSessions sessions, LockClock clock, Duration timeout) {

	/**
	 * Send a request in the current session, and repeat it in the then current one while
	 * the caller waits for the answer.
	 * @param request sends it
	 */
	<T> CompletableFuture<T> ask(Function<ZooKeeperSession, CompletableFuture<T>> request) {
		CompletableFuture<T> answer = bounded(new CompletableFuture<>());
		send(null, request, answer);
		return answer;
	}

	/**
	 * Send a request in one session.
	 * @param request sends it
	 * @return the answer, which the caller may complete when it no longer waits for it;
	 * fails with {@link ZooKeeperFaults#isSessionEnd} when the session has ended
	 */
	<T> CompletableFuture<T> askIn(ZooKeeperSession session, Function<ZooKeeperSession, CompletableFuture<T>> request) {
		CompletableFuture<T> answer = new CompletableFuture<>();
		send(session, request, answer);
		return answer;
	}

	/**
	 * Delete the nodes of a request reliably. This is repeated over lost connections
	 * until it is answered or the session has ended, which deletes the nodes too.
	 * @return completed when they are gone
	 */
	CompletableFuture<DeleteResult> delete(OwnQueueNode node) {
		return remove(node, null);
	}

	/**
	 * Delete the nodes of a waiter, and end its watches on nodes before them.
	 * @return completed when they are gone
	 */
	CompletableFuture<DeleteResult> withdraw(OwnQueueNode node) {
		// In one flush with the deletion.
		unwatch(node);
		return delete(node);
	}

	/**
	 * End the watches of a request on nodes before its own.
	 */
	void unwatch(OwnQueueNode node) {
		node.all().forEach((one) -> one.watch().end());
	}

	/**
	 * Delete the nodes of a request and begin a cooldown in the place of each, in one
	 * transaction. If a node is gone, no cooldown begins in its place, so this may be
	 * repeated.
	 * @return completed when the nodes are gone
	 */
	CompletableFuture<DeleteResult> exchange(OwnQueueNode node, CooldownNode cooldown) {
		return remove(node, cooldown);
	}

	private CompletableFuture<DeleteResult> remove(OwnQueueNode node, @Nullable CooldownNode cooldown) {
		CompletableFuture<DeleteResult> gone = untilGone(node.all(), cooldown);
		if (node.further().isEmpty()) {
			return gone;
		}
		// If one node was gone, the transaction has left the others.
		return gone.thenCompose((result) -> (result == DeleteResult.DELETED) ? gone
				: ManyAnswers.join(node.all().stream().map((one) -> untilGone(List.of(one), cooldown)))
					.thenApply((each) -> result));
	}

	private CompletableFuture<DeleteResult> untilGone(List<OwnQueueNode> nodes, @Nullable CooldownNode cooldown) {
		AtomicInteger sent = new AtomicInteger();
		return askIn(nodes.get(0).session(), (session) -> {
			sent.incrementAndGet();
			return remove(session.requests(), nodes, cooldown);
		}).thenApply((deleted) -> DeleteResult.DELETED).exceptionallyCompose((fault) -> {
			if (ZooKeeperFaults.isNoNode(fault)) {
				return CompletableFuture
					.completedFuture((sent.get() > 1) ? DeleteResult.UNKNOWN : DeleteResult.NOT_FOUND);
			}
			return ZooKeeperFaults.isSessionEnd(fault) ? CompletableFuture.completedFuture(DeleteResult.NOT_FOUND)
					: CompletableFuture.failedFuture(CompletionCauses.unwrap(fault));
		});
	}

	private static CompletableFuture<String> remove(ZooKeeperRequests requests, List<OwnQueueNode> nodes,
			@Nullable CooldownNode cooldown) {
		if (nodes.size() == 1 && cooldown == null) {
			return requests.delete(nodes.get(0).path());
		}
		List<Op> all = new ArrayList<>();
		nodes.forEach((node) -> all.add(Op.delete(node.path(), -1)));
		if (cooldown != null) {
			nodes.forEach((node) -> all.add(requests.opToCreate(node.sibling(cooldown.name()), CreateMode.PERSISTENT)));
		}
		return requests.multi(all);
	}

	/**
	 * Make a stage fail if it is not completed within the timeout.
	 */
	<T> CompletableFuture<T> bounded(CompletableFuture<T> answer) {
		this.clock.scheduleUnlessDone(answer, this.timeout, () -> answer.completeExceptionally(noAnswer(this.timeout)));
		return answer;
	}

	static NoAnswerException noAnswer(Duration timeout) {
		return new NoAnswerException("No answer from ZooKeeper within " + timeout.toMillis() + " ms");
	}

	private <T> void send(@Nullable ZooKeeperSession wanted, Function<ZooKeeperSession, CompletableFuture<T>> request,
			CompletableFuture<T> answer) {
		if (answer.isDone()) {
			return;
		}
		if (wanted != null && wanted.isEnded()) {
			answer.completeExceptionally(ZooKeeperFaults.sessionEnd());
			return;
		}
		this.sessions.connected(answer)
			.thenCompose((session) -> (wanted == null || session == wanted) ? send(session, request)
					: CompletableFuture.failedFuture(ZooKeeperFaults.sessionEnd()))
			.whenComplete((value, fault) -> {
				if (fault == null) {
					answer.complete(value);
				}
				else if (ZooKeeperFaults.isConnectionLoss(fault)) {
					send(wanted, request, answer);
				}
				else {
					answer.completeExceptionally(CompletionCauses.unwrap(fault));
				}
			});
	}

	private static <T> CompletableFuture<T> send(ZooKeeperSession session,
			Function<ZooKeeperSession, CompletableFuture<T>> request) {
		return request.apply(session).whenComplete((value, fault) -> {
			if (fault != null && ZooKeeperFaults.isSessionEnd(fault)) {
				session.end();
			}
		});
	}

	/**
	 * How a node that is gone was removed.
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
		 * By an earlier request whose answer was lost, or before that request.
		 */
		UNKNOWN

	}

}
