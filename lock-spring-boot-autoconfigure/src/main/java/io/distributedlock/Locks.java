package io.distributedlock;

import java.util.Optional;
import java.util.stream.Stream;

/**
 * Shows the locks of a backend and lets an administrator release one by force. The
 * results may be out of date by the time they are read, so they can't decide whether a
 * body may run.
 *
 * @since 0.1.0
 */
public interface Locks {

	/**
	 * Find the current holder of a key, in any JVM.
	 * @param key the key
	 * @return information about the lock, or empty if the key has no holder; of several
	 * holders the one with the smallest fencing token
	 * @throws InvalidLockRequestException if the key is not valid
	 * @throws LockUnavailableException if the backend could not be asked
	 */
	Optional<LockInfo> find(String key);

	/**
	 * List the locks that are currently held by all JVMs that share the backend and its
	 * key prefix, one element for each holder. The backend is asked for one page of locks
	 * after the other, for the first one now and for the others as the stream is read. So
	 * the stream is no snapshot; it shows each holder once, and needs not be closed.
	 * @return the locks in no particular order
	 * @throws LockUnavailableException if the backend could not be asked; reading the
	 * stream may throw it, too
	 */
	Stream<LockInfo> list();

	/**
	 * Take a lock away from its holder, or from all of them. The holder detects this at
	 * its next renewal or {@link Lease#verify()}. Until then its body continues, and only
	 * fencing tokens protect against its writes.
	 * <p>
	 * The key has no holder immediately, so {@link #find} returns empty. However, it
	 * stays busy for about 0.1 seconds for every client, including calls that do not
	 * wait. For that long another instance may still hand the lock over among its own
	 * threads. After that, waiting calls can get the lock. A key without a holder is left
	 * unchanged.
	 * @param key the key
	 * @return whether the key had a holder
	 * @throws InvalidLockRequestException if the key is not valid
	 * @throws LockUnavailableException if the backend could not be asked
	 */
	boolean forceRelease(String key);

}
