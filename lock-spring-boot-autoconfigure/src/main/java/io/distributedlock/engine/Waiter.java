package io.distributedlock.engine;

import java.time.Duration;
import java.util.Objects;
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

	private final ResolvedRequest request;

	private final boolean blocking;

	private final long since;

	private final CompletableFuture<DefaultLease> future = new CompletableFuture<>();

	// Set by the queue that takes this waiter, before its caller schedules the look at
	// its
	// time or returns a future by which others can end it.
	private @Nullable KeyQueue queue;

	private final AtomicBoolean decided = new AtomicBoolean();

	// This field and the one below are guarded by the monitor of the key's queue.
	private boolean over;

	private @Nullable Throwable unusedGrant;

	Waiter(ResolvedRequest request, boolean blocking, long since) {
		this.request = request;
		this.blocking = blocking;
		this.since = since;
	}

	ResolvedRequest request() {
		return this.request;
	}

	/**
	 * Take note of the queue that has taken this waiter.
	 */
	void takenBy(KeyQueue queue) {
		this.queue = queue;
	}

	/**
	 * Return the queue that has taken this waiter.
	 */
	KeyQueue queue() {
		return Objects.requireNonNull(this.queue);
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

	/**
	 * Return when this wait began, as a value of the monotonic clock.
	 */
	long since() {
		return this.since;
	}

	Duration waited(long now) {
		return Duration.ofNanos(now - this.since);
	}

	/**
	 * Return what is left of the wait time.
	 */
	Duration timeLeft(long now) {
		return this.request.waitTime().minusNanos(now - this.since);
	}

	/**
	 * Take note that the wait time is over: this waiter only waits for evidence of how it
	 * ends.
	 */
	void markOver() {
		this.over = true;
	}

	boolean isOver() {
		return this.over;
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

	boolean serve(DefaultLease lease) {
		return this.future.complete(lease);
	}

	/**
	 * Let this waiter end that was to be served, but could not be.
	 */
	void breakOff(Throwable failure) {
		this.future.completeExceptionally(failure);
	}

	/**
	 * Let this waiter end without a lease.
	 * @return {@code false} if it is decided already how it ends
	 */
	boolean fail(LockException exception) {
		return decide() && this.future.completeExceptionally(exception);
	}

}
