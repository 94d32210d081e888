package io.distributedlock.backend;

import java.time.Duration;

/**
 * Converts and checks values in the settings of all stores. Public for the stores only.
 *
 * @since 0.1.0
 */
public final class StoreSettings {

	private static final int MAX_LENGTH = 255;

	private StoreSettings() {
	}

	/**
	 * Return an instance id as a store keeps it for administrators: cut after 255
	 * characters, with a question mark for each character that can't be printed.
	 * @param instanceId the id as it is configured
	 * @return the id to store
	 */
	public static String printable(String instanceId) {
		String cut = (instanceId.length() <= MAX_LENGTH) ? instanceId : instanceId.substring(0, MAX_LENGTH);
		return cut.replaceAll("[\\p{Cntrl}\\p{Cs}]", "?");
	}

	/**
	 * Require that a duration is positive.
	 * @param duration the duration
	 * @param what its name and property, as in "call timeout (lock.call-timeout)"
	 */
	public static void requirePositive(Duration duration, String what) {
		if (duration.isNegative() || duration.isZero()) {
			throw new IllegalArgumentException("The " + what + " must be positive, but is " + duration);
		}
	}

}
