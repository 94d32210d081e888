package io.distributedlock.backend.session;

import io.distributedlock.spi.OwnerId;

/**
 * An entry in the queue of a lock. It ends with the session of the client that made it.
 *
 * @since 0.1.0
 */
public interface SessionEntry {

	/**
	 * The number of tokens that come with a transaction of the store.
	 */
	int TOKENS = 1024;

	/**
	 * Return the owner id of the attempt that made the entry.
	 * @return the owner id
	 */
	OwnerId ownerId();

	/**
	 * Return the id by which its session keeps the entry. It is the owner id unless the
	 * store writes another one.
	 * @return the id at the store
	 */
	default OwnerId id() {
		return ownerId();
	}

	/**
	 * Return the first of the tokens that the entry brings.
	 * @return the token
	 */
	long firstToken();

	/**
	 * Wake the contender that waits with this entry. Does not block.
	 */
	void wakeUp();

	/**
	 * Return the first of the tokens that come with a transaction. The store numbers
	 * transactions in the order in which they happen, over all keys.
	 * @param transaction the number of the transaction that made an entry
	 * @return the token
	 */
	static long firstToken(long transaction) {
		return transaction * TOKENS;
	}

}
