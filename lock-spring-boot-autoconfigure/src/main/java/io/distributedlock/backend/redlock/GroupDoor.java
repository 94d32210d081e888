package io.distributedlock.backend.redlock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

import io.distributedlock.spi.OwnerId;

/**
 * The door of a group, as one waiter for an exclusive lock closes it at all nodes.
 * Otherwise members that overlap could keep the waiter out forever. A closed door ends by
 * itself some time after the waiter's next attempt. The door is about fairness only, so
 * nodes that do not answer are not asked again.
 */
final class GroupDoor {

	/**
	 * How long the door stays closed after the time of the waiter's next attempt.
	 */
	private static final Duration LONGER = Duration.ofSeconds(1);

	private final NodeGroup nodes;

	private final String key;

	private final String waiter;

	// Guarded by the monitor, under which requests are also sent, so that they keep their
	// order.
	private boolean closed;

	/**
	 * Create a door.
	 * @param attempt the attempt that has met a group; its owner id names the waiter
	 */
	GroupDoor(NodeGroup nodes, String key, OwnerId attempt) {
		this.nodes = nodes;
		this.key = key;
		this.waiter = attempt.value();
	}

	/**
	 * Close the door until the next attempt.
	 * @param pollAfter the time until the next attempt
	 * @return completed when a majority has closed it, or will not do so soon
	 */
	CompletionStage<Void> close(Duration pollAfter) {
		long millis = pollAfter.plus(LONGER).toMillis();
		List<CompletionStage<NodeAnswer<Boolean>>> asked;
		synchronized (this) {
			this.closed = true;
			asked = ask((session) -> session.closeDoor(this.key, this.waiter, millis));
		}
		return majorityOf(asked);
	}

	private CompletionStage<Void> majorityOf(List<CompletionStage<NodeAnswer<Boolean>>> asked) {
		CompletableFuture<Void> closed = new CompletableFuture<>();
		AtomicInteger missing = new AtomicInteger(this.nodes.quorum());
		asked.forEach((one) -> one.thenAccept((answer) -> {
			if (missing.decrementAndGet() == 0) {
				closed.complete(null);
			}
		}));
		CompletableFuture
			.allOf(asked.stream().map(CompletionStage::toCompletableFuture).toArray(CompletableFuture[]::new))
			.whenComplete((all, fault) -> closed.complete(null));
		this.nodes.clock().scheduleUnlessDone(closed, this.nodes.settings().nodeTimeout(), () -> closed.complete(null));
		return closed;
	}

	/**
	 * Open the door, unless it is open.
	 * @param notifiesWaiters whether other waiters are notified
	 */
	synchronized void open(boolean notifiesWaiters) {
		if (this.closed) {
			this.closed = false;
			ask((session) -> session.openDoor(this.key, this.waiter, notifiesWaiters));
		}
	}

	private List<CompletionStage<NodeAnswer<Boolean>>> ask(
			Function<NodeSession, CompletionStage<NodeAnswer<Boolean>>> call) {
		List<CompletionStage<NodeAnswer<Boolean>>> asked = new ArrayList<>();
		for (NodeLink link : this.nodes.links()) {
			NodeSession session = link.snapshot().session();
			if (session != null) {
				asked.add(link.ask(session, call));
			}
		}
		return asked;
	}

}
