package io.distributedlock.spi;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;

import io.distributedlock.LockInfo;

/**
 * Shows the state of a store and of the locks that this JVM holds there or waits for. For
 * metrics, health and administration.
 * <p>
 * Methods that return a stage ask the store and return soon. All others return what is
 * known in this JVM and do not ask the store. Safe for use by several threads.
 *
 * @since 0.1.0
 */
public interface StoreMonitor {

	/**
	 * Return the name of the store in requests, events and errors.
	 * @return the name
	 */
	String name();

	/**
	 * Return the address of the store, without users and passwords.
	 * @return the address, or {@code null} if it is not known or there is none
	 */
	@Nullable String address();

	/**
	 * Return whether the engine accepts requests.
	 * @return whether it is running
	 */
	boolean isRunning();

	/**
	 * Return the timeout of one call to the store.
	 * @return the timeout
	 */
	Duration callTimeout();

	/**
	 * Return the leases that this JVM holds.
	 * @return the leases, in no particular order
	 */
	List<HeldLease> held();

	/**
	 * Return the calls of this JVM that wait.
	 * @return the calls, in the order of arrival for each key
	 */
	List<WaitingRequest> waiting();

	/**
	 * Return the latest grant of the store, unless an attempt has failed since.
	 * @return the evidence that the store is available, or empty if there is none
	 */
	Optional<AcquisitionEvidence> evidence();

	/**
	 * Return the state of the circuit.
	 * @return the state; always closed if the circuit is not enabled
	 */
	CircuitState circuit();

	/**
	 * Return what is known of the nodes of the store.
	 * @return the nodes in the order of the configuration; empty if the store has none
	 * that this JVM knows separately
	 */
	List<NodeStatus> nodes();

	/**
	 * Return how many nodes have to agree on a lease.
	 * @return the quorum, or zero if the store has no nodes
	 */
	int quorum();

	/**
	 * Return what is known of the session that keeps the leases of this JVM.
	 * @return the session, or {@code null} if there is none
	 */
	@Nullable SessionStatus session();

	/**
	 * Acquire and release a lease on a key that no other process uses. The circuit and
	 * the limits do not apply.
	 * @return the time that the store took to grant the lease; completed exceptionally
	 * with a {@link io.distributedlock.LockException} if it did not
	 */
	CompletionStage<Duration> probe();

	/**
	 * Find the holder of a key, in any JVM.
	 * @param key the key
	 * @return information about the lock, or empty if the key has no holder
	 */
	CompletionStage<Optional<LockInfo>> find(String key);

	/**
	 * Return a page of the locks that all JVMs hold at the store.
	 * @param next the value from the previous page, or {@code null} for the first one
	 * @param limit the greatest number of locks
	 * @return the page
	 */
	CompletionStage<LockPage> list(@Nullable String next, int limit);

	/**
	 * Take a lock away from its holder, in this JVM or in another.
	 * @param key the key
	 * @return whether the key had a holder
	 */
	CompletionStage<Boolean> forceRelease(String key);

}
