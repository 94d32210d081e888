package io.distributedlock.integration;

import java.util.ConcurrentModificationException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.distributedlock.LeaseLostException;
import io.distributedlock.LockKeys;
import io.distributedlock.LockRequest;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.spi.Scopes;
import io.distributedlock.spi.Scopes.Scope;

/**
 * The locks that each thread holds through a registry.
 */
final class ThreadHolds {

	private static final Logger logger = LoggerFactory.getLogger(ThreadHolds.class);

	private final Scopes scopes;

	// The map and its holds are confined to their thread. Absent while the thread holds
	// no lock.
	@SuppressWarnings("ThreadLocalUsage") // one for each registry, of which there are few
	private final ThreadLocal<@Nullable Map<String, ThreadHold>> holds = new ThreadLocal<>();

	ThreadHolds(Scopes scopes) {
		this.scopes = scopes;
	}

	/**
	 * Lock, or pass on the exception of the scopes.
	 */
	void enter(LeaseLock lock, LockRequest request) {
		try {
			push(lock, request, this.scopes.open(request));
		}
		catch (LeaseLostException ex) {
			forget(lock);
			throw ex;
		}
	}

	/**
	 * Lock if the lock is available.
	 * @return {@code false} if it is busy, or if this thread held it and has just learned
	 * of its loss
	 */
	boolean tryEnter(LeaseLock lock, LockRequest request) {
		try {
			Optional<Scope> entry = this.scopes.tryOpen(request);
			entry.ifPresent((scope) -> push(lock, request, scope));
			return entry.isPresent();
		}
		catch (LeaseLostException ex) {
			if (forget(lock)) {
				return false;
			}
			// The loss of a scope that another front end opened.
			throw ex;
		}
	}

	/**
	 * Ask the store whether the lease of this thread still stands, and forget the hold if
	 * it does not.
	 * @return {@code false} if this thread has just learned of the loss of the lock
	 */
	boolean stands(LeaseLock lock) {
		ThreadHold hold = find(lock.key());
		if (hold == null) {
			return true;
		}
		try {
			hold.verify();
		}
		catch (LockUnavailableException ex) {
			logger.debug("It could not be found out whether the lock on '{}' still stands",
					LockKeys.printable(lock.key()), ex);
		}
		catch (LeaseLostException ex) {
			forget(lock);
			return false;
		}
		return true;
	}

	private void push(LeaseLock lock, LockRequest request, Scope entry) {
		Map<String, ThreadHold> held = this.holds.get();
		if (held == null) {
			held = new HashMap<>();
			this.holds.set(held);
		}
		held.computeIfAbsent(lock.key(), (key) -> new ThreadHold(lock, request.getTtl())).push(entry);
	}

	/**
	 * Unlock once.
	 */
	void leave(String key) {
		ThreadHold hold = get(key);
		Optional<LeaseLostException> lost = hold.pop();
		if (hold.isEmpty()) {
			remove(key);
		}
		if (lost.isPresent()) {
			throw new ConcurrentModificationException("The lock on '" + LockKeys.printable(key)
					+ "' was lost before it was unlocked; another holder may have been at work", lost.get());
		}
	}

	/**
	 * Close the hold of this thread on a lock that it has lost.
	 * @return whether it held the lock
	 */
	private boolean forget(LeaseLock lock) {
		ThreadHold hold = find(lock.key());
		if (hold == null) {
			return false;
		}
		while (!hold.isEmpty()) {
			hold.pop();
		}
		remove(lock.key());
		return true;
	}

	private void remove(String key) {
		Map<String, ThreadHold> held = this.holds.get();
		if (held != null && held.remove(key) != null && held.isEmpty()) {
			this.holds.remove();
		}
	}

	@Nullable ThreadHold find(String key) {
		Map<String, ThreadHold> held = this.holds.get();
		return (held != null) ? held.get(key) : null;
	}

	ThreadHold get(String key) {
		ThreadHold hold = find(key);
		if (hold == null) {
			throw new IllegalStateException("The lock on '" + LockKeys.printable(key) + "' is not held by the thread '"
					+ Thread.currentThread().getName() + "' through this registry");
		}
		return hold;
	}

}
