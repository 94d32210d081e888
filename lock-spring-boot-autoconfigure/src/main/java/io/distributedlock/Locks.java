package io.distributedlock;

import java.util.Optional;
import java.util.stream.Stream;

/**
 * Looks at the locks of a backend and, for operators, breaks one. Nothing here decides
 * whether a body may run: what is read may be old by the time it is read.
 *
 * @since 0.1.0
 */
public interface Locks {

	/**
	 * Find who holds a key now, in any JVM.
	 * @param key the key
	 * @return what the backend knows, or empty where nobody holds it
	 * @throws InvalidLockRequestException if the key is not valid
	 * @throws LockUnavailableException if the backend could not be asked
	 */
	Optional<LockInfo> find(String key);

	/**
	 * List the locks that are held now, by all JVMs that share the backend and its key
	 * prefix. One request to the backend; the stream holds no resources.
	 * @return the locks in no particular order
	 * @throws LockUnavailableException if the backend could not be asked
	 */
	Stream<LockInfo> list();

	/**
	 * Take a lock away from its holder. The holder learns of it at its next renewal or
	 * {@link Lease#verify()}; until then its body goes on, and only a fencing token
	 * protects what it writes.
	 * <p>
	 * The key has no holder at once, so {@link #find} returns nothing. But it stays busy
	 * for about 0.1 seconds, for every client and for calls that do not wait too: so long
	 * another instance may still pass the lock on among its own threads. Waiting calls
	 * get the lock after that. A key without a holder is left as it is.
	 * @param key the key
	 * @return whether the key had a holder
	 * @throws InvalidLockRequestException if the key is not valid
	 * @throws LockUnavailableException if the backend could not be asked
	 */
	boolean forceRelease(String key);

}
