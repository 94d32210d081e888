package io.distributedlock.engine;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

import org.jspecify.annotations.Nullable;

import io.distributedlock.LockException;

/**
 * One caller that wants a lease. Its future is completed once, with a lease or an
 * exception, by whoever was the first to decide how the acquisition ends; a lease that
 * comes too late goes back to the store.
 */
final class Waiter {

	private final Acquisition acquisition;

	private final boolean blocking;

	private final long since;

	private final CompletableFuture<DefaultLease> future = new CompletableFuture<>();

	private final AtomicBoolean decided = new AtomicBoolean();

	// Guarded by the monitor of the key's queue.
	private @Nullable Throwable unusedGrant;

	Waiter(Acquisition acquisition, boolean blocking, long since) {
		this.acquisition = acquisition;
		this.blocking = blocking;
		this.since = since;
	}

	Acquisition acquisition() {
		return this.acquisition;
	}

	/**
	 * Return whether the thread that made this waiter is going to block until it is
	 * served.
	 */
	boolean isBlocking() {
		return this.blocking;
	}

	CompletableFuture<DefaultLease> future() {
		return this.future;
	}

	boolean isWaiting() {
		return !this.decided.get();
	}

	Duration waited(long now) {
		return Duration.ofNanos(now - this.since);
	}

	Duration timeLeft(long now) {
		return this.acquisition.patience().minusNanos(now - this.since);
	}

	/**
	 * Take note that an attempt of this waiter was granted, or may have been, and that
	 * nobody uses that.
	 * @param why why not
	 */
	void leftUnused(Throwable why) {
		this.unusedGrant = why;
	}

	/**
	 * Return why a grant that this waiter has had, or may have had, was not used;
	 * {@code null} if there was none.
	 */
	@Nullable Throwable unusedGrant() {
		return this.unusedGrant;
	}

	/**
	 * Decide that this waiter ends with the lease that is served next.
	 * @return {@code false} if it is decided already how it ends
	 */
	boolean decide() {
		return this.decided.compareAndSet(false, true);
	}

	void serve(DefaultLease lease) {
		this.future.complete(lease);
	}

	/**
	 * Let this waiter end without a lease.
	 * @return {@code false} if it is decided already how it ends
	 */
	boolean fail(LockException exception) {
		return decide() && this.future.completeExceptionally(exception);
	}

}
