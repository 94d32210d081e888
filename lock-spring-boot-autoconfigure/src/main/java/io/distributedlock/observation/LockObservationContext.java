package io.distributedlock.observation;

import io.micrometer.observation.Observation;
import org.jspecify.annotations.Nullable;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;

/**
 * What the observations of an acquisition and of a hold have in common. Changed by one
 * thread at a time.
 *
 * @since 0.1.0
 */
public abstract class LockObservationContext extends Observation.Context {

	private final String store;

	private final LockRequest request;

	private final String lockName;

	private volatile @Nullable Lease lease;

	LockObservationContext(String store, LockRequest request, String lockName) {
		this.store = store;
		this.request = request;
		this.lockName = lockName;
	}

	/**
	 * Return the name of the store, as in {@code lock.backends}.
	 * @return the name
	 */
	public String getStore() {
		return this.store;
	}

	/**
	 * Return the request.
	 * @return the request, after customization
	 */
	public LockRequest getRequest() {
		return this.request;
	}

	/**
	 * Return the name of the lock for tags. There are few different names.
	 * @return the name of the request, {@code other} or {@code none}
	 */
	public String getLockName() {
		return this.lockName;
	}

	/**
	 * Return the lease.
	 * @return the lease, or {@code null} if there is none, or none yet
	 */
	public @Nullable Lease getLease() {
		return this.lease;
	}

	void setLease(Lease lease) {
		this.lease = lease;
	}

	/**
	 * Return how it ended, as the value of a tag.
	 * @return the outcome, or {@code null} while it is under way
	 */
	public abstract @Nullable String getOutcome();

}
