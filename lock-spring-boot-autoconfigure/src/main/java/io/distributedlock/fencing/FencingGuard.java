package io.distributedlock.fencing;

import io.distributedlock.Lease;
import io.distributedlock.LockContext;
import io.distributedlock.StaleTokenException;

/**
 * Refuses writes to a resource whose fencing token is smaller than one that was seen
 * before: the writer's lease has ended, and a later holder was at work. This closes what
 * no lock can close, a holder that stands still for longer than its lease and then goes
 * on.
 * <p>
 * What it needs is that <em>every</em> writer of the resource checks, with tokens of one
 * key at one store, or of several stores with the epoch of {@code lock.token-epoch}
 * raised from one to the next: those of other keys or stores say nothing about each
 * other. The same token may come any number of times. Reads need no check.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface FencingGuard {

	/**
	 * Let a write pass, or refuse it.
	 * @param resource the resource, by a name that all its writers use
	 * @param token the writer's fencing token
	 * @throws StaleTokenException if a greater token was seen
	 */
	void check(String resource, long token);

	/**
	 * Let a write under a lease pass, or refuse it.
	 * @param resource the resource, by a name that all its writers use
	 * @param lease the writer's lease
	 * @throws StaleTokenException if a greater token was seen
	 */
	default void check(String resource, Lease lease) {
		check(resource, lease.fencingToken());
	}

	/**
	 * Let a write of the running code pass, or refuse it, by the lease of its innermost
	 * lock.
	 * @param resource the resource, by a name that all its writers use
	 * @throws StaleTokenException if a greater token was seen
	 * @throws IllegalStateException if the running code holds no lock
	 */
	default void check(String resource) {
		check(resource, LockContext.current());
	}

	/**
	 * Refuse a write that a conditional update of the resource's own table has not made:
	 * {@code UPDATE account SET balance = ?, fence = ? WHERE id = ? AND fence <= ?}. The
	 * row has to be there; an update that finds no row can't tell why.
	 * @param updatedRows how many rows the update has changed
	 * @param resource the resource, for the message
	 * @param token the writer's fencing token
	 * @throws StaleTokenException if no row was changed
	 */
	static void requireUpdated(int updatedRows, String resource, long token) {
		if (updatedRows == 0) {
			throw new StaleTokenException(resource, token);
		}
	}

}
