package io.distributedlock;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * Published once for each lease that was lost, at the time of the loss, on a thread of
 * the lock engine's callback executor.
 *
 * @param backend the name of the backend, as in {@code lock.backends}
 * @param key the key of the lease, the first one of several
 * @param name the name of the request, if it has one
 * @param fencingToken the token of the lease
 * @param reason why it was lost
 * @param heldFor the time between the acquisition and the loss
 * @since 0.1.0
 */
public record LeaseLostEvent(String backend, String key, @Nullable String name, long fencingToken, LossReason reason,
		Duration heldFor) {

	/**
	 * Return all components, with keys as {@link LockKeys#printable} shows them.
	 */
	@Override
	public String toString() {
		return LockKeys.printable("LeaseLostEvent[backend=" + this.backend + ", key=" + this.key + ", name=" + this.name
				+ ", fencingToken=" + this.fencingToken + ", reason=" + this.reason + ", heldFor=" + this.heldFor
				+ "]");
	}

}
