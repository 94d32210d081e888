package io.distributedlock.backend.zookeeper;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.jspecify.annotations.Nullable;

import io.distributedlock.LockUnavailableException;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.Contender;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockTarget;

/**
 * A claim to a lock that keeps its place in line from its first attempt that waits: later
 * attempts only look whether it is first.
 */
final class ZooKeeperContender implements Contender {

	private final LockTarget target;

	private final Runnable wakeUp;

	private final Supplier<Operation> operation;

	// One object, so that a watch that is set again is still the same one.
	private final Watcher watcher = this::onEvent;

	private final Predecessors predecessors = new Predecessors();

	// Guarded by this object's monitor, like the fields below.
	private @Nullable Place place;

	private @Nullable String watched;

	private boolean withdrawn;

	private @Nullable Operation joined;

	ZooKeeperContender(LockTarget target, Runnable wakeUp, Supplier<Operation> operation) {
		this.target = target;
		this.wakeUp = wakeUp;
		this.operation = operation;
	}

	@Override
	public CompletionStage<AttemptOutcome> attempt(LeaseRequest request) {
		Operation current;
		try {
			current = this.operation.get();
		}
		catch (LockUnavailableException ex) {
			return CompletableFuture.completedFuture(new AttemptOutcome.Unavailable(ex, false));
		}
		synchronized (this) {
			if (this.joined != current) {
				this.place = null;
				this.joined = current;
			}
		}
		return new Attempt(current, this, request).start();
	}

	private void onEvent(WatchedEvent event) {
		if (event.getType() == EventType.NodeDeleted) {
			this.wakeUp.run();
		}
	}

	LockTarget target() {
		return this.target;
	}

	Watcher watcher() {
		return this.watcher;
	}

	Predecessors predecessors() {
		return this.predecessors;
	}

	synchronized @Nullable Place place() {
		return this.place;
	}

	/**
	 * Keep a place in line after an attempt that was busy.
	 * @return {@code false} if the contender has withdrawn, so that the place has to go
	 */
	boolean keep(Place place, @Nullable String watched) {
		synchronized (this) {
			if (this.withdrawn) {
				return false;
			}
			this.place = place;
			this.watched = watched;
			if (this.joined != null) {
				this.joined.inLine(this);
			}
		}
		// Outside, since it may wake at once.
		place.session().join(this.wakeUp);
		synchronized (this) {
			if (this.withdrawn) {
				place.session().leave(this.wakeUp);
			}
		}
		return true;
	}

	/**
	 * Take the place out of line, because it was granted the lock or is gone.
	 */
	synchronized void leaveLine() {
		Place last = this.place;
		this.place = null;
		this.watched = null;
		if (last != null) {
			last.session().leave(this.wakeUp);
			if (this.joined != null) {
				this.joined.outOfLine(this);
			}
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
	 * Give up the place in line, if there is one.
	 * @return completed when it is gone
	 */
	CompletableFuture<Boolean> giveUp() {
		Place last = place();
		return (last != null) ? giveUp(last) : CompletableFuture.completedFuture(false);
	}

	/**
	 * Give up a place, and the watch with it.
	 * @return completed when it is gone
	 */
	CompletableFuture<Boolean> giveUp(Place last) {
		String watch;
		Operation current;
		synchronized (this) {
			watch = this.watched;
			current = this.joined;
			leaveLine();
		}
		if (current == null) {
			return CompletableFuture.completedFuture(false);
		}
		if (watch != null) {
			// In one flush with the removal. Nobody else watches that node in this
			// session but who is next in line, and only after the removal.
			last.session().requests().unwatch(watch);
		}
		return current.removals().remove(last);
	}

}
