package io.distributedlock.backend.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;

import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockTarget;

/**
 * Runs the scripts that grant, renew and release leases.
 */
interface LeaseCommands {

	/**
	 * Determine what has to be known before the first lock is granted, if anything.
	 * @return completed exceptionally if this fails, for example because the server can't
	 * be used as it is set up
	 */
	default CompletionStage<?> ready() {
		return CompletableFuture.completedStage(null);
	}

	/**
	 * Attempt to take a lock, or to enter a group.
	 * @param target what to lock
	 * @param request the request
	 * @param door the door that an exclusive attempt closes if it meets a group, or
	 * {@code null} if it has met none
	 * @param timeout how long it may take, including the time to get a connection
	 * @return what the script returns
	 */
	CompletionStage<List<Object>> acquire(LockTarget target, LeaseRequest request, @Nullable DoorToClose door,
			Duration timeout);

	/**
	 * Renew leases by a script for each batch. The scripts are sent together.
	 * @param batches the leases
	 * @param timeout how long all may take, including the time to get a connection
	 * @return what each script returns, in their order
	 */
	List<CompletionStage<List<Object>>> renew(List<RenewalBatch> batches, Duration timeout);

	/**
	 * Release a lease.
	 * @param grant the lease
	 * @param cooldown how long the lock stays unavailable after that
	 * @param patience how long the calling thread may be blocked until the answer
	 * @param timeout how long one script may take, including the time to get a connection
	 * @return what the script returns
	 */
	CompletionStage<List<Object>> release(LeaseGrant grant, Duration cooldown, Duration patience, Duration timeout);

	/**
	 * Return for how much longer the server grants no locks, as far as this client knows.
	 * @return the rest of a quarantine, or {@code null} if none is known
	 */
	default @Nullable Duration quarantine() {
		return null;
	}

	/**
	 * End background work, if there is any.
	 */
	default void close() {
	}

}
