package io.distributedlock.spi;

import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.distributedlock.LockKeys;
import io.distributedlock.LockMode;

/**
 * Describes a lease that this JVM holds. It has no owner id, so it can be shown.
 *
 * @param keys the keys as the application wrote them
 * @param name the name of the request, if it has one
 * @param mode how the keys are held
 * @param fencingToken the token of the lease
 * @param ttl the TTL of the request
 * @param heldFor the time since the acquisition or the hand-over
 * @param remaining the remaining validity as its holder must count it
 * @param sinceRenewal the time since the store last confirmed the lease, or {@code null}
 * if it was not renewed yet
 * @param handOvers how often the grant was handed over inside this JVM before
 * @since 0.1.0
 */
public record HeldLease(List<String> keys, @Nullable String name, LockMode mode, long fencingToken, Duration ttl,
		Duration heldFor, Duration remaining, @Nullable Duration sinceRenewal, int handOvers) {

	/**
	 * Create a description.
	 */
	public HeldLease {
		keys = List.copyOf(keys);
	}

	/**
	 * Return whether the lease is held for longer than twice its TTL.
	 * @return whether it is overdue
	 */
	public boolean isOverdue() {
		return this.heldFor.compareTo(this.ttl.multipliedBy(2)) > 0;
	}

	/**
	 * Return all components, with keys as {@link LockKeys#printable} shows them.
	 */
	@Override
	public String toString() {
		return LockKeys
			.printable("HeldLease[keys=" + this.keys + ", name=" + this.name + ", mode=" + this.mode + ", fencingToken="
					+ this.fencingToken + ", ttl=" + this.ttl + ", heldFor=" + this.heldFor + ", remaining="
					+ this.remaining + ", sinceRenewal=" + this.sinceRenewal + ", handOvers=" + this.handOvers + "]");
	}

}
