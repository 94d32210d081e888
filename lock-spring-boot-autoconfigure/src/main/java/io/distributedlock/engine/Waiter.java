package io.distributedlock.engine;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;

import org.jspecify.annotations.Nullable;

import io.distributedlock.LockException;
import io.distributedlock.spi.WaitingRequest;

/**
 * One caller that waits for a lease. Its future is completed once, with a lease or an
 * exception: the first decision about the end of the acquisition counts. A lease that
 * arrives too late goes back to the store.
 */
final class Waiter {

	private final ResolvedRequest request;

	private final boolean blocking;

	private final long since;

	private final BiConsumer<Waiter, Throwable> onFailure;

	private final LockLimits.@Nullable Slot slot;

	private final CompletableFuture<DefaultLease> future = new CompletableFuture<>();

	// Set by the queue that accepts this waiter, before its caller schedules the check of
	// its time or returns a future by which the wait can be cancelled.
	private @Nullable KeyQueue queue;

	private final AtomicBoolean decided = new AtomicBoolean();

	// The neighbors in the WaitQueue, which alone touches these fields. They and those
	// below are guarded by the monitor of the key's queue.
	@Nullable Waiter before;

	@Nullable Waiter behind;

	boolean queued;

	private boolean over;

	private @Nullable Throwable unusedGrant;

	// After how many busy attempts this waiter ends; zero for any number.
	private int busyAttemptsLeft;

	/**
	 * Create a waiter.
	 * @param slot its place among the limits, freed when it ends
	 * @param onFailure called when this waiter has ended with an exception
	 */
	Waiter(ResolvedRequest request, boolean blocking, long since, LockLimits.@Nullable Slot slot,
			BiConsumer<Waiter, Throwable> onFailure) {
		this.request = request;
		this.blocking = blocking;
		this.since = since;
		this.slot = slot;
		this.onFailure = onFailure;
	}

	ResolvedRequest request() {
		return this.request;
	}

	/**
	 * Set the queue that has accepted this waiter.
	 */
	void takenBy(KeyQueue queue) {
		this.queue = queue;
	}

	/**
	 * Return the queue that has accepted this waiter.
	 */
	KeyQueue queue() {
		return Objects.requireNonNull(this.queue);
	}

	/**
	 * Return whether the thread that created this waiter will block until it is served.
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
	 * Describe this waiter for metrics and administration.
	 */
	WaitingRequest describe(long now) {
		return new WaitingRequest(this.request.target().keys(), this.request.lockRequest().getName(),
				this.request.target().mode(), waited(now), timeLeft(now));
	}

	/**
	 * Return the remaining wait time.
	 */
	Duration timeLeft(long now) {
		return this.request.waitTime().minusNanos(now - this.since);
	}

	/**
	 * Mark the wait time as over: this waiter only waits for the evidence that decides
	 * its end.
	 */
	void markOver() {
		this.over = true;
	}

	boolean isOver() {
		return this.over;
	}

	/**
	 * End this waiter after some busy attempts. Called before it is queued.
	 */
	void endAfterBusyAttempts(int count) {
		this.busyAttemptsLeft = count;
	}

	/**
	 * Count a busy attempt.
	 * @return whether this waiter ends with it
	 */
	boolean endsBusy() {
		return this.busyAttemptsLeft > 0 && --this.busyAttemptsLeft == 0;
	}

	/**
	 * Record that an attempt of this waiter was granted, or may have been, and that the
	 * grant is not used.
	 * @param why the reason
	 */
	void leftUnused(Throwable why) {
		this.unusedGrant = why;
	}

	/**
	 * Return why a grant to this waiter, or a possible one, was not used; {@code null} if
	 * there was none.
	 */
	@Nullable Throwable unusedGrant() {
		return this.unusedGrant;
	}

	/**
	 * Decide that this waiter ends with the lease that is delivered next.
	 * @return {@code false} if its end is already decided
	 */
	boolean decide() {
		return this.decided.compareAndSet(false, true);
	}

	boolean serve(DefaultLease lease) {
		freeSlot();
		return this.future.complete(lease);
	}

	/**
	 * End this waiter with a failure, because its lease could not be delivered.
	 */
	void breakOff(Throwable failure) {
		end(failure);
	}

	/**
	 * Free the place among the limits. Repeatable.
	 */
	void freeSlot() {
		if (this.slot != null) {
			this.slot.free();
		}
	}

	private boolean end(Throwable failure) {
		freeSlot();
		boolean ended = this.future.completeExceptionally(failure);
		if (ended) {
			this.onFailure.accept(this, failure);
		}
		return ended;
	}

	/**
	 * End this waiter without a lease.
	 * @return {@code false} if its end is already decided
	 */
	boolean fail(LockException exception) {
		return decide() && end(exception);
	}

}
