package io.distributedlock.backend.etcd;

import java.util.function.LongConsumer;

import io.etcd.jetcd.ByteSequence;
import org.jspecify.annotations.Nullable;

/**
 * Watches one key until it is deleted, or until the watch is ended by this JVM or by
 * etcd.
 */
final class KeyWatch {

	private final ByteSequence key;

	private final LongConsumer onDeleted;

	private final Runnable onLost;

	// Guarded by the monitor, as is the one below.
	private EtcdLink.@Nullable OpenWatch watching;

	private boolean over;

	/**
	 * Create a watch that has not begun.
	 * @param key the key
	 * @param onDeleted receives the revision of the deletion, at most once
	 * @param onLost run if the watch ends by itself
	 */
	KeyWatch(ByteSequence key, LongConsumer onDeleted, Runnable onLost) {
		this.key = key;
		this.onDeleted = onDeleted;
		this.onLost = onLost;
	}

	/**
	 * Begin to watch, unless the watch was ended before.
	 * @param from the first revision of interest
	 */
	void begin(EtcdRequests requests, long from) {
		EtcdLink.OpenWatch opened = requests.watch(this.key, from, (revision) -> {
			if (end()) {
				this.onDeleted.accept(revision);
			}
		}, () -> {
			if (end()) {
				this.onLost.run();
			}
		});
		boolean late;
		synchronized (this) {
			late = this.over;
			this.watching = opened;
		}
		if (late) {
			opened.close();
		}
	}

	/**
	 * Return whether this watches a key and has not ended.
	 */
	synchronized boolean isOf(ByteSequence other) {
		return !this.over && this.key.equals(other);
	}

	/**
	 * End the watch.
	 * @return {@code false} if it had ended before
	 */
	boolean end() {
		EtcdLink.OpenWatch open;
		synchronized (this) {
			if (this.over) {
				return false;
			}
			this.over = true;
			open = this.watching;
		}
		// Not under the monitor: the driver has a lock of its own.
		if (open != null) {
			open.close();
		}
		return true;
	}

}
