package io.distributedlock.spi;

/**
 * What the store said of one renewal.
 *
 * @since 0.1.0
 */
public sealed interface RenewalOutcome {

	/**
	 * The lease stands.
	 *
	 * @param validUntil the value of {@link LockClock#nanoTime()} at which its validity
	 * ends by this renewal; the engine keeps a later end that it knows of
	 */
	record Renewed(long validUntil) implements RenewalOutcome {
	}

	/**
	 * The lease no longer stands.
	 */
	record Lost() implements RenewalOutcome {
	}

	/**
	 * The store could not tell of this lease.
	 *
	 * @param cause what went wrong
	 */
	record Unknown(Throwable cause) implements RenewalOutcome {
	}

}
