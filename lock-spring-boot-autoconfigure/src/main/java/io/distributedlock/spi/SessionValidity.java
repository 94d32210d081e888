package io.distributedlock.spi;

/**
 * The validity that the leases of one session share, at a store that keeps leases for as
 * long as their session lives. The store confirms the session without a request for any
 * lease, so the validity is extended independently of renewals.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface SessionValidity {

	/**
	 * The validity of leases that do not depend on a session.
	 */
	SessionValidity WITHOUT_SESSION = (now) -> Long.MAX_VALUE;

	/**
	 * Return the remaining time of the validity. Once it has been zero or less it stays
	 * so, because leases that were lost with it are lost for good.
	 * @param now the value of {@link LockClock#nanoTime()}
	 * @return the remaining nanoseconds, zero or less if the validity has ended
	 */
	long nanosLeft(long now);

}
