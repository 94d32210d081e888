package io.distributedlock.observation;

import org.jspecify.annotations.Nullable;

import io.distributedlock.LockRequest;

/**
 * Context of the observation of an acquisition.
 *
 * @since 0.1.0
 */
public class AcquireObservationContext extends LockObservationContext {

	private volatile @Nullable AcquireOutcome acquireOutcome;

	/**
	 * Create a context.
	 * @param store the name of the store
	 * @param request the request
	 * @param lockName the name of the lock for tags
	 */
	public AcquireObservationContext(String store, LockRequest request, String lockName) {
		super(store, request, lockName);
	}

	/**
	 * Return how the acquisition ended.
	 * @return the outcome, or {@code null} while it is under way
	 */
	public @Nullable AcquireOutcome getAcquireOutcome() {
		return this.acquireOutcome;
	}

	void setAcquireOutcome(AcquireOutcome outcome) {
		this.acquireOutcome = outcome;
	}

	@Override
	public @Nullable String getOutcome() {
		AcquireOutcome outcome = this.acquireOutcome;
		return (outcome != null) ? outcome.tag() : null;
	}

}
