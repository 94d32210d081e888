package io.distributedlock;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * Published when this instance did not run a tick because the lock was taken, as by the
 * run before that still goes on. Another instance whose clock is behind may come to the
 * same tick later and run it; a tick that has run is not missed.
 *
 * @param backend the name of the backend
 * @param key the key of the lock
 * @param name the name of the request, where it has one
 * @param tick the instant that the schedule computed for the run
 * @since 0.1.0
 */
public record TickMissedEvent(String backend, String key, @Nullable String name, Instant tick) {

	/**
	 * Return all that is known, with keys as people may see them.
	 */
	@Override
	public String toString() {
		return LockKeys.printable("TickMissedEvent[backend=" + this.backend + ", key=" + this.key + ", name="
				+ this.name + ", tick=" + this.tick + "]");
	}

}
