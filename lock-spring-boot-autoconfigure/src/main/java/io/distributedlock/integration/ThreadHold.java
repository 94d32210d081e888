package io.distributedlock.integration;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

import io.distributedlock.LeaseLostException;
import io.distributedlock.LockKeys;
import io.distributedlock.spi.Scopes.Scope;

/**
 * The entries of one thread in one lock, one for each call of lock. Confined to that
 * thread.
 */
final class ThreadHold {

	private final LeaseLock lock;

	private final @Nullable Duration ttl;

	private final Deque<Scope> entries = new ArrayDeque<>(1);

	/**
	 * Create a hold without entries.
	 * @param lock the lock
	 * @param ttl the requested TTL, if any
	 */
	ThreadHold(LeaseLock lock, @Nullable Duration ttl) {
		this.lock = lock;
		this.ttl = ttl;
	}

	LeaseLock lock() {
		return this.lock;
	}

	@Nullable Duration ttl() {
		return this.ttl;
	}

	void push(Scope entry) {
		this.entries.push(entry);
	}

	/**
	 * Close the latest entry.
	 * @return the exception to report if the lease had been lost
	 */
	Optional<LeaseLostException> pop() {
		return this.entries.pop().close();
	}

	boolean isEmpty() {
		return this.entries.isEmpty();
	}

	/**
	 * Ask the store whether the lease still stands.
	 */
	void verify() {
		this.entries.element().lease().verify();
	}

	void extend(Duration atLeast) {
		try {
			this.entries.element().lease().extend(atLeast);
		}
		catch (LeaseLostException ex) {
			throw new IllegalStateException(
					"The lock on '" + LockKeys.printable(this.lock.key()) + "' can't be renewed: it was lost", ex);
		}
	}

}
