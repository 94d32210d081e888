package io.distributedlock.backend;

import java.time.Duration;

/**
 * What the settings of all stores have in common. Public for the stores only.
 *
 * @since 0.1.0
 */
public final class StoreSettings {

	private static final int MAX_LENGTH = 255;

	private StoreSettings() {
	}

	/**
	 * Return an instance id as a store keeps it for people who look: without characters
	 * that can't be printed, cut after 255 characters.
	 * @param instanceId the id as it is configured
	 * @return what is stored
	 */
	public static String printable(String instanceId) {
		String cut = (instanceId.length() <= MAX_LENGTH) ? instanceId : instanceId.substring(0, MAX_LENGTH);
		return cut.replaceAll("[\\p{Cntrl}\\p{Cs}]", "?");
	}

	/**
	 * Refuse a duration that is zero or negative.
	 * @param duration the duration
	 * @param what its name and property, as in "call time-out (lock.call-timeout)"
	 */
	public static void requirePositive(Duration duration, String what) {
		if (duration.isNegative() || duration.isZero()) {
			throw new IllegalArgumentException("The " + what + " must be positive, but is " + duration);
		}
	}

}
