package io.distributedlock.spi;

/**
 * How long the leases of one session are valid, at a store that keeps them for as long as
 * the session lives. The store confirms it for all of them at once and without being
 * asked for any, so that it goes on independently of their renewals.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface SessionValidity {

	/**
	 * Of leases that depend on no session.
	 */
	SessionValidity WITHOUT_SESSION = (now) -> Long.MAX_VALUE;

	/**
	 * Return what is left of the validity. When it has once been zero or less it stays
	 * so: leases that were lost with it do not come back.
	 * @param now the value of {@link LockClock#nanoTime()}
	 * @return the nanoseconds that are left, zero or less where none are
	 */
	long nanosLeft(long now);

}
