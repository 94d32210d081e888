package io.distributedlock.backend.scan;

import java.util.List;
import java.util.concurrent.CompletionStage;

import io.distributedlock.LockInfo;

/**
 * Walks the keys of servers, and describes those that are locks.
 *
 * @since 0.1.0
 */
public interface KeyScan {

	/**
	 * Return the number of servers. They are walked one after the other.
	 * @return the number
	 */
	int servers();

	/**
	 * Walk on at a server.
	 * @param server the index of the server
	 * @param cursor where to begin, {@link KeyBatch#END} for the beginning
	 * @param count the approximate number of keys that the server looks at
	 * @return the keys of locks that it has found
	 */
	CompletionStage<KeyBatch> scan(int server, String cursor, int count);

	/**
	 * Describe the locks of keys that were found at a server.
	 * @param server the index of the server
	 * @param keys the keys, without duplicates
	 * @return the locks, one for each holder; keys that have no holder, or that are shown
	 * at another server, are missing
	 */
	CompletionStage<List<LockInfo>> describe(int server, List<String> keys);

}
