package io.distributedlock.backend.session;

import io.distributedlock.spi.OwnerId;

/**
 * An entry in the queue of a lock. It ends with the session of the client that made it.
 *
 * @since 0.1.0
 */
public interface SessionEntry {

	/**
	 * Return the owner id of the attempt that made the entry.
	 * @return the owner id
	 */
	OwnerId ownerId();

	/**
	 * Wake the contender that waits with this entry. Does not block.
	 */
	void wakeUp();

}
