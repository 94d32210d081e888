package io.distributedlock.fencing;

import io.distributedlock.Lease;
import io.distributedlock.LockContext;
import io.distributedlock.StaleTokenException;

/**
 * Refuses writes to a resource whose fencing token is smaller than one that was seen
 * before: the writer's lease has ended, and a later holder was at work. No lock can stop
 * a holder that stands still for longer than its lease and then continues; a guard
 * refuses its writes.
 * <p>
 * <em>Every</em> writer of the resource has to check, with tokens of one key at one
 * store. Tokens of several stores can be compared only if {@code lock.token-epoch} was
 * raised from one store to the next. Tokens of different keys can't be compared. The same
 * token may be used any number of times. Reads need no check.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface FencingGuard {

	/**
	 * Accept or refuse a write.
	 * @param resource the resource, by a name that all its writers use
	 * @param token the writer's fencing token
	 * @throws StaleTokenException if a greater token was seen
	 */
	void check(String resource, long token);

	/**
	 * Accept or refuse a write under a lease.
	 * @param resource the resource, by a name that all its writers use
	 * @param lease the writer's lease
	 * @throws StaleTokenException if a greater token was seen
	 */
	default void check(String resource, Lease lease) {
		check(resource, lease.fencingToken());
	}

	/**
	 * Accept or refuse a write of the running code, by the lease of its innermost lock.
	 * @param resource the resource, by a name that all its writers use
	 * @throws StaleTokenException if a greater token was seen
	 * @throws IllegalStateException if the running code holds no lock
	 */
	default void check(String resource) {
		check(resource, LockContext.current());
	}

	/**
	 * Refuse a write if a conditional update of the resource's own table has changed no
	 * row: {@code UPDATE account SET balance = ?, fence = ? WHERE id = ? AND fence <= ?}.
	 * The row has to exist, because the update does not distinguish a missing row from a
	 * greater token.
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
