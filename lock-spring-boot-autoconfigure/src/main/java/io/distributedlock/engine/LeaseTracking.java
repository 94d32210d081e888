package io.distributedlock.engine;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import io.distributedlock.LossReason;
import io.distributedlock.spi.LockObserver.BodyScope;
import io.distributedlock.spi.LockObserver.Hold;

/**
 * The place of a lease among the limits, and its observation. Most leases have neither.
 */
final class LeaseTracking {

	private final LockLimits.@Nullable Slot slot;

	// Written once, by the thread that receives the lease.
	private volatile Hold hold = Hold.NONE;

	// Whether the thread that releases the lease also ends the observation. The end of
	// the lease then needs no other thread for it.
	private volatile boolean endedByHolder;

	private final AtomicBoolean ended = new AtomicBoolean();

	LeaseTracking(LockLimits.@Nullable Slot slot) {
		this.slot = slot;
	}

	void freeSlot() {
		if (this.slot != null) {
			this.slot.free();
		}
	}

	/**
	 * Observe a lease until it ends.
	 * @param ended completed when it ends
	 * @param executor runs the observer if the lease ends on another thread than that of
	 * its holder
	 * @param lossReason returns why it was lost, or {@code null} if it was released
	 */
	void observe(CompletableFuture<Boolean> ended, Hold hold, Executor executor,
			Supplier<@Nullable LossReason> lossReason) {
		this.hold = hold;
		ended.whenComplete((stood, failure) -> {
			if (!this.endedByHolder) {
				executor.execute(() -> end(lossReason.get()));
			}
		});
	}

	BodyScope openScope() {
		return this.hold.openScope();
	}

	/**
	 * Announce that the calling thread releases the lease, and then calls {@link #end}.
	 */
	void endByHolder() {
		this.endedByHolder = true;
	}

	void end(@Nullable LossReason lossReason) {
		if (this.ended.compareAndSet(false, true)) {
			this.hold.end(lossReason);
		}
	}

}
