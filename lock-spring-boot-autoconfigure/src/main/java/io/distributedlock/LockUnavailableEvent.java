package io.distributedlock;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * Published for each request that ended without a lease because of a fault, for example
 * because the store did not answer or its circuit is open. A busy lock, a tick that has
 * run, and an interrupted or cancelled wait are no faults.
 *
 * @param backend the name of the backend, as in {@code lock.backends}
 * @param key the key of the request, the first one of several
 * @param name the name of the request, if it has one
 * @param cause the exception of the caller
 * @param waited the time since the request was made
 * @since 0.1.0
 */
public record LockUnavailableEvent(String backend, String key, @Nullable String name, Throwable cause,
		Duration waited) {

	/**
	 * Return all components, with keys as {@link LockKeys#printable} shows them.
	 */
	@Override
	public String toString() {
		return LockKeys.printable("LockUnavailableEvent[backend=" + this.backend + ", key=" + this.key + ", name="
				+ this.name + ", cause=" + this.cause + ", waited=" + this.waited + "]");
	}

}
