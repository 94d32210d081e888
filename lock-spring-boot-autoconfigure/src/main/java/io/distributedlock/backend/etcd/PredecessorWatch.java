package io.distributedlock.backend.etcd;

import java.time.Duration;

import io.etcd.jetcd.KeyValue;
import org.jspecify.annotations.Nullable;

import io.distributedlock.spi.LockClock;

/**
 * Wakes a waiter when the entry before its own has gone, or its own. Knows how long the
 * waiter lets the holder before it have that has gone together with its session.
 */
final class PredecessorWatch {

	private static final Duration WATCH_AGAIN = Duration.ofMillis(500);

	private final EtcdRequests requests;

	private final LockClock clock;

	private final Runnable wakeUp;

	// All of these are guarded by the monitor. Etcd is not called while it is held.
	private @Nullable EtcdPredecessor predecessor;

	private @Nullable KeyWatch ownWatch;

	private @Nullable KeyWatch predecessorWatch;

	private boolean inGrace;

	private long graceUntil;

	PredecessorWatch(EtcdRequests requests, LockClock clock, Runnable wakeUp) {
		this.requests = requests;
		this.clock = clock;
		this.wakeUp = wakeUp;
	}

	/**
	 * Return what stood before the entry when it was looked at last.
	 */
	synchronized @Nullable EtcdPredecessor predecessor() {
		return this.predecessor;
	}

	/**
	 * Watch what a look has shown, unless it is watched already.
	 */
	void begin(EtcdQueueEntry own, EtcdQueueSnapshot snapshot) {
		KeyWatch nextOwn = null;
		KeyWatch next = null;
		KeyWatch former = null;
		EtcdPredecessor shown = predecessor(snapshot);
		synchronized (this) {
			if (this.ownWatch == null || !this.ownWatch.isOf(own.name())) {
				nextOwn = new KeyWatch(own.name(), (revision) -> this.wakeUp.run(), this::wakeUpLater);
				this.ownWatch = nextOwn;
			}
			if (shown != null && (this.predecessorWatch == null || !this.predecessorWatch.isOf(shown.name()))) {
				next = new KeyWatch(shown.name(), (revision) -> gone(shown, revision), this::wakeUpLater);
				former = this.predecessorWatch;
				this.predecessorWatch = next;
				this.predecessor = shown;
				this.inGrace = false;
			}
		}
		if (former != null) {
			former.end();
		}
		if (nextOwn != null) {
			nextOwn.begin(this.requests, snapshot.revision() + 1);
		}
		if (next != null) {
			next.begin(this.requests, snapshot.revision() + 1);
		}
	}

	private static @Nullable EtcdPredecessor predecessor(EtcdQueueSnapshot snapshot) {
		KeyValue before = snapshot.before();
		KeyValue cooldown = snapshot.cooldown();
		return (before != null) ? EtcdPredecessor.entry(before)
				: (cooldown != null) ? EtcdPredecessor.cooldown(cooldown) : null;
	}

	private void gone(EtcdPredecessor gone, long revision) {
		synchronized (this) {
			if (gone.equals(this.predecessor)) {
				this.predecessor = gone.gone(revision);
			}
		}
		this.wakeUp.run();
	}

	/**
	 * Wake the waiter to look by itself, since a watch has ended.
	 */
	private void wakeUpLater() {
		this.clock.schedule(WATCH_AGAIN, this.wakeUp);
	}

	/**
	 * Return how long an entry that is the first has to wait all the same: if the holder
	 * before it has gone together with its session, and may not know it yet.
	 */
	synchronized Duration grace(EtcdQueueSnapshot snapshot) {
		EtcdPredecessor former = this.predecessor;
		if (former == null) {
			return Duration.ZERO;
		}
		if (!this.inGrace && snapshot.predecessorVanished()) {
			this.inGrace = true;
			this.graceUntil = this.clock.nanoTime() + former.grace().toNanos();
		}
		return this.inGrace ? Duration.ofNanos(Math.max(0, this.graceUntil - this.clock.nanoTime())) : Duration.ZERO;
	}

	/**
	 * Watch nothing any more, and forget what stood before.
	 */
	void end() {
		KeyWatch own;
		KeyWatch other;
		synchronized (this) {
			own = this.ownWatch;
			other = this.predecessorWatch;
			this.predecessor = null;
			this.ownWatch = null;
			this.predecessorWatch = null;
			this.inGrace = false;
		}
		if (own != null) {
			own.end();
		}
		if (other != null) {
			other.end();
		}
	}

}
