package io.distributedlock.spi;

/**
 * The outcome of one renewal.
 *
 * @since 0.1.0
 */
public sealed interface RenewalOutcome {

	/**
	 * The lease still exists.
	 *
	 * @param validUntil the value of {@link LockClock#nanoTime()} at which its validity
	 * ends according to this renewal; the engine keeps a later end that it already knows
	 */
	record Renewed(long validUntil) implements RenewalOutcome {
	}

	/**
	 * The lease has ended.
	 */
	record Lost() implements RenewalOutcome {
	}

	/**
	 * The state of the lease could not be determined.
	 *
	 * @param cause the failure
	 */
	record Unknown(Throwable cause) implements RenewalOutcome {
	}

}
