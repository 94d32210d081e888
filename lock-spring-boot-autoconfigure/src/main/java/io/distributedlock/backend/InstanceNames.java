package io.distributedlock.backend;

/**
 * Makes the id of a JVM fit for a store, which shows it to people who look.
 *
 * @since 0.1.0
 */
public final class InstanceNames {

	private static final int MAX_LENGTH = 255;

	private InstanceNames() {
	}

	/**
	 * Return an instance id without characters that can't be printed, cut after 255
	 * characters.
	 * @param instanceId the id as it is configured
	 * @return what is stored
	 */
	public static String printable(String instanceId) {
		String cut = (instanceId.length() <= MAX_LENGTH) ? instanceId : instanceId.substring(0, MAX_LENGTH);
		return cut.replaceAll("[\\p{Cntrl}\\p{Cs}]", "?");
	}

}
