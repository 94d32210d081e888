package io.distributedlock.backend.zookeeper;

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

	private final QueuePredecessors predecessors = new QueuePredecessors();

	ZooKeeperContender(LockTarget target, Runnable wakeUp, ZooKeeperLockQueue queue) {
		super(target, wakeUp);
		this.queue = queue;
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

	QueuePredecessors predecessors() {
		return this.predecessors;
	}

	@Override
	protected void stopWaiting(OwnQueueNode node) {
		node.session().entries().leave(node);
	}

	/**
	 * Give up a node, and the watch on the node before it.
	 */
	@Override
	protected void drop(OwnQueueNode node) {
		node.session().entries().remove(node);
		this.queue.requests().withdraw(node);
	}

}
