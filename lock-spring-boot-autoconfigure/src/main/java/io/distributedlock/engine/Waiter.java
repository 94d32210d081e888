package io.distributedlock.engine;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.LockException;

/**
 * One caller that wants a lease. Its future is completed once, with a lease or an
 * exception; whoever completes it decides how the acquisition ended, and a lease that
 * comes too late goes back to the store.
 */
final class Waiter {

	private final Acquisition acquisition;

	private final boolean blocking;

	private final long since;

	private final CompletableFuture<DefaultLease> future = new CompletableFuture<>();

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
		return !this.future.isDone();
	}

	Duration waited(long now) {
		return Duration.ofNanos(now - this.since);
	}

	Duration timeLeft(long now) {
		return this.acquisition.patience().minusNanos(now - this.since);
	}

	boolean grant(DefaultLease lease) {
		return this.future.complete(lease);
	}

	boolean fail(LockException exception) {
		return this.future.completeExceptionally(exception);
	}

}
