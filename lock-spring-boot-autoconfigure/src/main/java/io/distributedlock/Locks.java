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
	 * Take a lock away from its holder, whoever it is. The holder learns at its next
	 * renewal or {@link Lease#verify()}, until then its body goes on: only a fencing
	 * token protects what it writes.
	 * @param key the key
	 * @return whether somebody held it
	 * @throws InvalidLockRequestException if the key is not valid
	 * @throws LockUnavailableException if the backend could not be asked
	 */
	boolean forceRelease(String key);

}
