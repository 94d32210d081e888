package io.distributedlock;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * Published for each request that ended because another holder had the lock.
 *
 * @param backend the name of the backend, as in {@code lock.backends}
 * @param key the key of the request, the first one of several
 * @param name the name of the request, if it has one
 * @param waited the time since the request was made
 * @since 0.1.0
 */
public record LockBusyEvent(String backend, String key, @Nullable String name, Duration waited) {

	/**
	 * Return all components, with keys as {@link LockKeys#printable} shows them.
	 */
	@Override
	public String toString() {
		return LockKeys.printable("LockBusyEvent[backend=" + this.backend + ", key=" + this.key + ", name=" + this.name
				+ ", waited=" + this.waited + "]");
	}

}
