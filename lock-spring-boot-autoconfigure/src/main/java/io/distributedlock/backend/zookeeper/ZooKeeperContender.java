package io.distributedlock.backend.zookeeper;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.jspecify.annotations.Nullable;

import io.distributedlock.backend.zookeeper.GuaranteedDeletes.DeleteResult;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.Contender;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockTarget;

/**
 * Contends for a lock, and keeps its node in the queue from its first attempt that waits:
 * later attempts only look whether it is first.
 */
final class ZooKeeperContender implements Contender {

	private final LockTarget target;

	private final Runnable wakeUp;

	private final ZooKeeperLockQueue queue;

	// One object, so that a watch that is set again is still the same one.
	private final Watcher watcher = this::onEvent;

	private final QueuePredecessors predecessors = new QueuePredecessors();

	// Guarded by this object's monitor, like the field below.
	private @Nullable OwnQueueNode entry;

	private boolean withdrawn;

	ZooKeeperContender(LockTarget target, Runnable wakeUp, ZooKeeperLockQueue queue) {
		this.target = target;
		this.wakeUp = wakeUp;
		this.queue = queue;
	}

	@Override
	public CompletionStage<AttemptOutcome> attempt(LeaseRequest request) {
		return new ZooKeeperAttempt(this.queue, this, request).start();
	}

	private void onEvent(WatchedEvent event) {
		if (event.getType() == EventType.NodeDeleted) {
			this.wakeUp.run();
		}
	}

	LockTarget target() {
		return this.target;
	}

	Runnable wakeUp() {
		return this.wakeUp;
	}

	Watcher watcher() {
		return this.watcher;
	}

	QueuePredecessors predecessors() {
		return this.predecessors;
	}

	synchronized @Nullable OwnQueueNode entry() {
		return this.entry;
	}

	/**
	 * Keep a node in the queue after an attempt that was busy.
	 * @return {@code false} if the contender has withdrawn, so that the node has to go
	 */
	boolean keep(OwnQueueNode kept) {
		synchronized (this) {
			if (this.withdrawn) {
				return false;
			}
			this.entry = kept;
		}
		// Outside, since it may wake immediately.
		kept.session().entries().await(kept);
		synchronized (this) {
			if (this.withdrawn) {
				kept.session().entries().leave(kept);
			}
		}
		return true;
	}

	/**
	 * Keep the node no longer, because it was granted the lock or is gone.
	 */
	synchronized void leave() {
		OwnQueueNode last = this.entry;
		this.entry = null;
		if (last != null) {
			last.session().entries().leave(last);
		}
	}

	@Override
	public void withdraw() {
		synchronized (this) {
			this.withdrawn = true;
		}
		giveUp();
	}

	/**
	 * Give up the node in the queue, if there is one.
	 */
	void giveUp() {
		OwnQueueNode last = entry();
		if (last != null) {
			giveUp(last);
		}
	}

	/**
	 * Give up a node, and the watch with it.
	 * @return completed when it is gone
	 */
	CompletableFuture<DeleteResult> giveUp(OwnQueueNode last) {
		leave();
		return this.queue.withdraw(last);
	}

}
