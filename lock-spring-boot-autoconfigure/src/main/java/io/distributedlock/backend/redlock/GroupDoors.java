package io.distributedlock.backend.redlock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

import io.distributedlock.spi.OwnerId;

/**
 * The doors of groups, as one waiter for an exclusive lock closes them at all nodes.
 * Otherwise members that overlap could keep the waiter out forever. A closed door ends by
 * itself some time after the waiter's next attempt. Doors are about fairness only, so
 * nodes that do not answer are not asked again.
 * <p>
 * A waiter for several keys keeps the doors of all groups closed that it has met, since
 * it needs them to end at the same time.
 */
final class GroupDoors {

	/**
	 * How long the door stays closed after the time of the waiter's next attempt.
	 */
	private static final Duration LONGER = Duration.ofSeconds(1);

	private final NodeGroup nodes;

	private final String waiter;

	// The keys of the closed doors. Guarded by the monitor, under which requests are also
	// sent, so that they keep their order.
	private final Set<String> closed = new LinkedHashSet<>();

	/**
	 * Create doors, all open.
	 * @param attempt the attempt that has met a group; its owner id names the waiter
	 */
	GroupDoors(NodeGroup nodes, OwnerId attempt) {
		this.nodes = nodes;
		this.waiter = attempt.value();
	}

	/**
	 * Close doors until the next attempt, and keep those closed that are.
	 * @param groups the keys of the groups that the waiter has met
	 * @param pollAfter the time until the next attempt
	 * @return completed when a majority has closed each of them, or will not do so soon
	 */
	CompletionStage<Void> close(List<String> groups, Duration pollAfter) {
		long millis = pollAfter.plus(LONGER).toMillis();
		List<List<CompletionStage<NodeAnswer<Boolean>>>> asked;
		synchronized (this) {
			this.closed.addAll(groups);
			asked = this.closed.stream()
				.map((key) -> ask((session) -> session.closeDoor(key, this.waiter, millis)))
				.toList();
		}
		return CompletableFuture.allOf(asked.stream().map(this::majorityOf).toArray(CompletableFuture[]::new));
	}

	private CompletableFuture<Void> majorityOf(List<CompletionStage<NodeAnswer<Boolean>>> asked) {
		CompletableFuture<Void> done = new CompletableFuture<>();
		AtomicInteger missing = new AtomicInteger(this.nodes.quorum());
		asked.forEach((one) -> one.thenAccept((answer) -> {
			if (missing.decrementAndGet() == 0) {
				done.complete(null);
			}
		}));
		CompletableFuture
			.allOf(asked.stream().map(CompletionStage::toCompletableFuture).toArray(CompletableFuture[]::new))
			.whenComplete((all, fault) -> done.complete(null));
		this.nodes.clock().scheduleUnlessDone(done, this.nodes.settings().nodeTimeout(), () -> done.complete(null));
		return done;
	}

	/**
	 * Open the doors that are closed.
	 * @param notifiesWaiters whether other waiters are notified
	 */
	synchronized void open(boolean notifiesWaiters) {
		this.closed.forEach((key) -> ask((session) -> session.openDoor(key, this.waiter, notifiesWaiters)));
		this.closed.clear();
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
