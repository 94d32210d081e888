package io.distributedlock.backend.zookeeper;

import java.util.List;
import java.util.concurrent.CompletionStage;

import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.Watcher.Event.EventType;

import io.distributedlock.backend.session.QueueContender;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockTarget;

/**
 * Contends for a lock with a node in its queue.
 */
final class ZooKeeperContender extends QueueContender<OwnQueueNode> {

	private final ZooKeeperLockQueue queue;

	// A single object, so that a watch that is set again is still the same watch.
	private final Watcher watcher = this::onEvent;

	// In the order of the keys.
	private final List<QueuePredecessors> predecessors;

	ZooKeeperContender(LockTarget target, Runnable wakeUp, ZooKeeperLockQueue queue) {
		super(target, wakeUp);
		this.queue = queue;
		this.predecessors = target.keys().stream().map((key) -> new QueuePredecessors()).toList();
	}

	@Override
	public CompletionStage<AttemptOutcome> attempt(LeaseRequest request) {
		return new ZooKeeperAttempt(this.queue, this, request).start();
	}

	private void onEvent(WatchedEvent event) {
		if (event.getType() == EventType.NodeDeleted) {
			wakeUp().run();
		}
	}

	Watcher watcher() {
		return this.watcher;
	}

	/**
	 * Return what the contender has seen before its node in the queue for each key.
	 */
	List<QueuePredecessors> predecessors() {
		return this.predecessors;
	}

	boolean hasPredecessors() {
		return this.predecessors.stream().anyMatch((before) -> !before.isEmpty());
	}

	@Override
	protected void stopWaiting(OwnQueueNode node) {
		node.session().entries().leave(node);
	}

	/**
	 * Give up the nodes of a request, and the watches on nodes before them.
	 */
	@Override
	protected void drop(OwnQueueNode node) {
		node.session().entries().remove(node);
		this.queue.requests().withdraw(node);
	}

}
