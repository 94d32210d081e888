package io.distributedlock.engine;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import org.jspecify.annotations.Nullable;

/**
 * Counts the calls to the store that are under way, so that a stop can wait until none
 * is.
 */
final class Pending {

	private final AtomicInteger calls = new AtomicInteger();

	private volatile @Nullable CompletableFuture<Void> drained;

	void begin() {
		this.calls.incrementAndGet();
	}

	void end() {
		if (this.calls.decrementAndGet() == 0) {
			CompletableFuture<Void> waiting = this.drained;
			if (waiting != null) {
				waiting.complete(null);
			}
		}
	}

	/**
	 * Return a stage that completes when no call is under way. The future is published
	 * before the count is read, and {@link #end} counts before it reads the future: one
	 * of the two sees the other.
	 */
	CompletableFuture<Void> drained() {
		CompletableFuture<Void> waiting = new CompletableFuture<>();
		this.drained = waiting;
		if (this.calls.get() == 0) {
			waiting.complete(null);
		}
		return waiting;
	}

}
