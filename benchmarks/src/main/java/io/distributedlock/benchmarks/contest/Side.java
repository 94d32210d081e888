package io.distributedlock.benchmarks.contest;

/**
 * A client of a store that locks in its own way. Used by many threads at a time.
 */
public interface Side extends AutoCloseable {

	/**
	 * Take a lock. Waits while another thread or process holds it.
	 * @param key the key
	 * @return the lock that is held now
	 * @throws Exception if it can't be taken
	 */
	Held acquire(String key) throws Exception;

	@Override
	void close();

	/**
	 * A lock that a side holds.
	 */
	interface Held {

		/**
		 * Give the lock back, and wait until the store has confirmed it. Called by the
		 * thread that took it.
		 * @throws Exception if that fails
		 */
		void release() throws Exception;

	}

}
