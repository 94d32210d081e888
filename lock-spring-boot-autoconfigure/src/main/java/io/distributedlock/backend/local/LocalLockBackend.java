package io.distributedlock.backend.local;

import java.time.Duration;

import io.distributedlock.spi.BackendConnection;
import io.distributedlock.spi.BackendListener;
import io.distributedlock.spi.BackendTraits;
import io.distributedlock.spi.LockBackend;
import io.distributedlock.spi.LockClock;

/**
 * A client of a {@link LocalStore}. Its locks exclude the clients of the same store in
 * this JVM, and no others.
 * <p>
 * No call blocks, and every stage is complete when it is returned. Calls fail only while
 * the client is {@linkplain #setReachable cut off}. Leases are counted on the monotonic
 * clock. Locks have one key.
 *
 * @since 0.1.0
 */
public final class LocalLockBackend implements LockBackend {

	private static final BackendTraits TRAITS = new BackendTraits(BackendTraits.LeaseKind.PER_LOCK, true, true,
			Integer.MAX_VALUE, true, Duration.ofMillis(1), null, 1_000);

	private final LocalStore store;

	private final String instanceId;

	private final LockClock clock;

	private volatile boolean reachable = true;

	/**
	 * Create a client.
	 * @param store the store, shared by the clients whose locks exclude each other
	 * @param instanceId the name by which holders are shown
	 * @param clock the clock on which the holders count the validity of their leases
	 */
	public LocalLockBackend(LocalStore store, String instanceId, LockClock clock) {
		this.store = store;
		this.instanceId = instanceId;
		this.clock = clock;
	}

	@Override
	public String name() {
		return "local";
	}

	@Override
	public BackendTraits traits() {
		return TRAITS;
	}

	/**
	 * Connect to the store. The leases of a connection that is closed stay in the store
	 * until they are released or run out.
	 */
	@Override
	public BackendConnection connect(BackendListener listener) {
		return new LocalStoreConnection(this, this.store, this.clock, listener);
	}

	/**
	 * Let the leases on a key expire now, as if their TTLs had passed without a renewal.
	 * The lock is free at once. Its holders are notified at once, unless their clients
	 * are cut off.
	 * @param key the key
	 * @return whether the lock was held
	 */
	public boolean expire(String key) {
		return this.store.expire(key);
	}

	/**
	 * Return whether a contender of any client of the store waits for a key.
	 * @param key the key
	 * @return whether a waiter has found it busy and will be woken
	 */
	public boolean isWaitedFor(String key) {
		return this.store.isWaitedFor(key);
	}

	/**
	 * Cut this client off from the store, or connect it again. While it is cut off, every
	 * call to the store fails, and its leases expire by their TTL.
	 * @param reachable whether the store can be reached
	 */
	public void setReachable(boolean reachable) {
		this.reachable = reachable;
	}

	/**
	 * Create another client of the same store. The locks of both clients exclude each
	 * other.
	 * @param instanceId the name by which its holders are shown
	 * @return the client
	 */
	public LocalLockBackend anotherClient(String instanceId) {
		return new LocalLockBackend(this.store, instanceId, this.clock);
	}

	boolean isReachable() {
		return this.reachable;
	}

	String instanceId() {
		return this.instanceId;
	}

}
