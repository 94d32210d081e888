package io.distributedlock;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * Published for each lease that its holder has released, if {@code lock.events.verbose}
 * is set.
 *
 * @param backend the name of the backend, as in {@code lock.backends}
 * @param key the key of the request, the first one of several
 * @param name the name of the request, if it has one
 * @param fencingToken the token of the lease
 * @param heldFor the time since the acquisition
 * @since 0.1.0
 */
public record LockReleasedEvent(String backend, String key, @Nullable String name, long fencingToken,
		Duration heldFor) {

	/**
	 * Return all components, with keys as {@link LockKeys#printable} shows them.
	 */
	@Override
	public String toString() {
		return LockKeys.printable("LockReleasedEvent[backend=" + this.backend + ", key=" + this.key + ", name="
				+ this.name + ", fencingToken=" + this.fencingToken + ", heldFor=" + this.heldFor + "]");
	}

}
