package io.distributedlock.spi;

import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.distributedlock.LockKeys;
import io.distributedlock.LockMode;

/**
 * Describes a call of this JVM that waits for a lock.
 *
 * @param keys the keys as the application wrote them
 * @param name the name of the request, if it has one
 * @param mode how the keys are requested
 * @param waited the time since the request was made
 * @param remaining the remaining wait time; zero while the last answer of the store is
 * awaited
 * @since 0.1.0
 */
public record WaitingRequest(List<String> keys, @Nullable String name, LockMode mode, Duration waited,
		Duration remaining) {

	/**
	 * Create a description.
	 */
	public WaitingRequest {
		keys = List.copyOf(keys);
		remaining = remaining.isNegative() ? Duration.ZERO : remaining;
	}

	/**
	 * Return all components, with keys as {@link LockKeys#printable} shows them.
	 */
	@Override
	public String toString() {
		return LockKeys.printable("WaitingRequest[keys=" + this.keys + ", name=" + this.name + ", mode=" + this.mode
				+ ", waited=" + this.waited + ", remaining=" + this.remaining + "]");
	}

}
