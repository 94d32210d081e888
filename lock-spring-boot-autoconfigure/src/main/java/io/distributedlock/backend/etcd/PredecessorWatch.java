package io.distributedlock.backend.etcd;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.distributedlock.spi.LockClock;

/**
 * Wakes a waiter when its own entry or the one before it is gone. It also determines how
 * long the waiter grants a former holder whose entry is gone together with its session.
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

	private @Nullable Long graceUntil;

	PredecessorWatch(EtcdRequests requests, LockClock clock, Runnable wakeUp) {
		this.requests = requests;
		this.clock = clock;
		this.wakeUp = wakeUp;
	}

	/**
	 * Return the predecessor at the last look, or {@code null}.
	 */
	synchronized @Nullable EtcdPredecessor predecessor() {
		return this.predecessor;
	}

	/**
	 * Watch the entries that a look has shown, unless they are watched already.
	 */
	void begin(EtcdQueueEntry own, EtcdQueueSnapshot snapshot) {
		EtcdPredecessor shown = snapshot.predecessor();
		List<KeyWatch> begun = new ArrayList<>(2);
		KeyWatch former = null;
		synchronized (this) {
			if (this.ownWatch == null || !this.ownWatch.isOf(own.name())) {
				this.ownWatch = new KeyWatch(own.name(), (revision) -> this.wakeUp.run(), this::wakeUpLater);
				begun.add(this.ownWatch);
			}
			if (shown != null && (this.predecessorWatch == null || !this.predecessorWatch.isOf(shown.name()))) {
				former = this.predecessorWatch;
				this.predecessorWatch = new KeyWatch(shown.name(), (revision) -> gone(shown, revision),
						this::wakeUpLater);
				begun.add(this.predecessorWatch);
				this.predecessor = shown;
				this.graceUntil = null;
			}
		}
		if (former != null) {
			former.end();
		}
		begun.forEach((next) -> next.begin(this.requests, snapshot.revision() + 1));
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
	 * Wake the waiter later to look again, since a watch has ended.
	 */
	private void wakeUpLater() {
		this.clock.schedule(WATCH_AGAIN, this.wakeUp);
	}

	/**
	 * Return how long the first entry still has to wait because the holder before it is
	 * gone together with its session and may not know yet.
	 */
	synchronized Duration grace(EtcdQueueSnapshot snapshot) {
		long now = this.clock.nanoTime();
		if (this.predecessor != null && this.graceUntil == null && snapshot.predecessorVanished()) {
			this.graceUntil = now + this.predecessor.grace().toNanos();
		}
		return (this.graceUntil != null) ? Duration.ofNanos(Math.max(0, this.graceUntil - now)) : Duration.ZERO;
	}

	/**
	 * End the watches, and forget the predecessor.
	 */
	void end() {
		List<KeyWatch> open = new ArrayList<>(2);
		synchronized (this) {
			Stream.of(this.ownWatch, this.predecessorWatch).filter(Objects::nonNull).forEach(open::add);
			this.predecessor = null;
			this.ownWatch = null;
			this.predecessorWatch = null;
			this.graceUntil = null;
		}
		open.forEach(KeyWatch::end);
	}

}
