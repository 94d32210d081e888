package io.distributedlock.observation;

import org.jspecify.annotations.Nullable;

import io.distributedlock.LockRequest;
import io.distributedlock.LossReason;

/**
 * Context of the observation of a hold.
 *
 * @since 0.1.0
 */
public class HoldObservationContext extends LockObservationContext {

	private volatile boolean ended;

	private volatile @Nullable LossReason lossReason;

	/**
	 * Create a context.
	 * @param store the name of the store
	 * @param request the request
	 * @param lockName the name of the lock for tags
	 */
	public HoldObservationContext(String store, LockRequest request, String lockName) {
		super(store, request, lockName);
	}

	/**
	 * Return why the lease was lost.
	 * @return the reason, or {@code null} if it was released or is held
	 */
	public @Nullable LossReason getLossReason() {
		return this.lossReason;
	}

	void setEnded(@Nullable LossReason lossReason) {
		this.lossReason = lossReason;
		this.ended = true;
	}

	@Override
	public @Nullable String getOutcome() {
		if (!this.ended) {
			return null;
		}
		return (this.lossReason != null) ? "lost" : "released";
	}

}
