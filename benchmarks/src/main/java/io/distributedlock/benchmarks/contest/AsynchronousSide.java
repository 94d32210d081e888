package io.distributedlock.benchmarks.contest;

import java.util.concurrent.CompletionStage;

/**
 * A side that can lock without a thread that waits.
 */
public interface AsynchronousSide extends Side {

	/**
	 * Take a lock.
	 * @param key the key
	 * @return completed with the lock once it is held
	 */
	CompletionStage<AsynchronousHeld> acquireAsync(String key);

	/**
	 * A lock that a side holds.
	 */
	interface AsynchronousHeld {

		/**
		 * Give the lock back.
		 * @return completed when the store has confirmed it
		 */
		CompletionStage<?> releaseAsync();

	}

}
