package io.distributedlock.backend.etcd;

import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongConsumer;

import io.etcd.jetcd.ByteSequence;
import org.jspecify.annotations.Nullable;

/**
 * Watches one key until it is deleted, or a range of keys; in any case until the watch is
 * ended by this JVM or by etcd.
 */
final class KeyWatch {

	private static final EtcdLink.OpenWatch OVER = () -> {
	};

	private final ByteSequence key;

	private final @Nullable ByteSequence end;

	private final EtcdLink.Deletions onDeleted;

	private final Runnable onLost;

	// Null before it has begun.
	private final AtomicReference<EtcdLink.@Nullable OpenWatch> watching = new AtomicReference<>();

	/**
	 * Create a watch that has not begun.
	 * @param key the key, or the first one
	 * @param end the first key after them, or {@code null} for a single one
	 * @param onDeleted receives the deletions, at most one if it is a single key
	 * @param onLost runs if the watch ends by itself
	 */
	KeyWatch(ByteSequence key, @Nullable ByteSequence end, EtcdLink.Deletions onDeleted, Runnable onLost) {
		this.key = key;
		this.end = end;
		this.onDeleted = onDeleted;
		this.onLost = onLost;
	}

	/**
	 * Begin to watch, unless the watch was ended before. Etcd looks for what has happened
	 * since an earlier revision only every 100 ms, and shows nothing until then.
	 * @param from the first revision of interest
	 */
	void begin(EtcdRequests requests, long from) {
		begin(requests, from, (revision) -> {
		});
	}

	/**
	 * Begin to watch from now on, unless the watch was ended before. Etcd shows what
	 * happens from then on at once.
	 * @param from the first revision of interest
	 * @param onLate runs if deletions since that revision may have been missed
	 */
	void beginNow(EtcdRequests requests, long from, Runnable onLate) {
		begin(requests, 0, (revision) -> {
			if (revision >= from && this.watching.get() != OVER) {
				onLate.run();
			}
		});
	}

	private void begin(EtcdRequests requests, long from, LongConsumer begun) {
		EtcdLink.OpenWatch opened = requests.watch(this.key, this.end, from, begun, (deleted, leaseId, revision) -> {
			if ((this.end != null) ? this.watching.get() != OVER : end()) {
				this.onDeleted.deleted(deleted, leaseId, revision);
			}
		}, () -> {
			if (end()) {
				this.onLost.run();
			}
		});
		if (!this.watching.compareAndSet(null, opened)) {
			opened.close();
		}
	}

	/**
	 * Return whether this watches a key, or keys from there on, and has not ended.
	 */
	boolean isOf(ByteSequence other) {
		return this.watching.get() != OVER && this.key.equals(other);
	}

	/**
	 * End the watch.
	 * @return {@code false} if it had ended before
	 */
	boolean end() {
		EtcdLink.OpenWatch open = this.watching.getAndSet(OVER);
		if (open != null) {
			open.close();
		}
		return open != OVER;
	}

}
