package io.distributedlock.spi;

import java.time.Duration;

import io.distributedlock.LockRequest;

/**
 * Receives what happens between an engine and its store, apart from single locks. Called
 * on the callback threads of the engine, in the order of the events. Exceptions are
 * logged and change nothing.
 *
 * @since 0.1.0
 */
public interface StoreListener {

	/**
	 * Acquisitions fail immediately from now on, because the store does not answer.
	 * @param store the name of the store
	 * @param cause the latest failure
	 */
	default void circuitOpened(String store, Throwable cause) {
	}

	/**
	 * Acquisitions are sent to the store again, because it has answered.
	 * @param store the name of the store
	 * @param openFor how long the circuit was open
	 */
	default void circuitClosed(String store, Duration openFor) {
	}

	/**
	 * The store grants no leases for a while, because it may have forgotten leases that
	 * are still held.
	 * @param store the name of the store
	 * @param remaining the minimum remaining time
	 */
	default void quarantineBegun(String store, Duration remaining) {
	}

	/**
	 * The store grants leases again after a quarantine.
	 * @param store the name of the store
	 */
	default void quarantineEnded(String store) {
	}

	/**
	 * A limit of this instance has refused a request.
	 * @param store the name of the store
	 * @param request the request
	 * @param limit the limit, as in {@code lock.limits}
	 */
	default void limitReached(String store, LockRequest request, String limit) {
	}

}
