package io.distributedlock.backend.etcd;

import java.time.Duration;
import java.util.function.LongConsumer;

import io.etcd.jetcd.ByteSequence;
import org.jspecify.annotations.Nullable;

import io.distributedlock.spi.LockClock;

/**
 * The watch over one key, until it is deleted or the watch is ended. Where etcd ends it,
 * whoever waits is woken to look for himself, after a pause.
 */
final class Vigil {

	private static final Duration PAUSE = Duration.ofMillis(500);

	private final ByteSequence name;

	// Guarded by the monitor.
	private EtcdLink.@Nullable Watching watching;

	private boolean over;

	private Vigil(ByteSequence name) {
		this.name = name;
	}

	/**
	 * Begin to watch.
	 * @param from the first revision of interest
	 * @param deleted told the revision of the deletion, at most once
	 * @param lost run when the watch has ended by itself
	 */
	static Vigil begin(EtcdLink link, LockClock clock, ByteSequence name, long from, LongConsumer deleted,
			Runnable lost) {
		Vigil vigil = new Vigil(name);
		EtcdLink.Watching watching = link.watch(name, from, (revision) -> {
			if (vigil.finish()) {
				deleted.accept(revision);
			}
		}, () -> {
			if (vigil.finish()) {
				clock.schedule(PAUSE, lost);
			}
		});
		if (!vigil.keep(watching)) {
			watching.close();
		}
		return vigil;
	}

	ByteSequence name() {
		return this.name;
	}

	synchronized boolean isOver() {
		return this.over;
	}

	private synchronized boolean keep(EtcdLink.Watching opened) {
		if (!this.over) {
			this.watching = opened;
		}
		return !this.over;
	}

	/**
	 * Take note that there is nothing more to be told.
	 * @return {@code false} where there was not before
	 */
	private boolean finish() {
		EtcdLink.Watching open;
		synchronized (this) {
			if (this.over) {
				return false;
			}
			this.over = true;
			open = this.watching;
			this.watching = null;
		}
		// Not under the monitor: the driver has a lock of its own.
		if (open != null) {
			open.close();
		}
		return true;
	}

	void end() {
		finish();
	}

}
