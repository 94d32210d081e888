package io.distributedlock;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * Published when this instance did not run a tick because the lock was taken, for example
 * by the previous run. Another instance whose clock is behind may still reach and run the
 * same tick later. A tick that has already run is not reported as missed.
 *
 * @param backend the name of the backend
 * @param key the key of the lock
 * @param name the name of the request, if it has one
 * @param tick the instant that the schedule computed for the run
 * @since 0.1.0
 */
public record TickMissedEvent(String backend, String key, @Nullable String name, Instant tick) {

	/**
	 * Return all components, with keys as {@link LockKeys#printable} shows them.
	 */
	@Override
	public String toString() {
		return LockKeys.printable("TickMissedEvent[backend=" + this.backend + ", key=" + this.key + ", name="
				+ this.name + ", tick=" + this.tick + "]");
	}

}
