package io.distributedlock.backend.redlock;

import io.distributedlock.LockUnavailableException;

/**
 * Thrown when a stored value of a lock does not have the form that this version writes.
 * That value was not changed. The message says what was found.
 * <p>
 * Public only because the package of the driver uses it.
 *
 * @since 0.1.0
 */
@SuppressWarnings("serial")
public final class UnknownFormatException extends LockUnavailableException {

	private static final int LONGEST = 128;

	/**
	 * Create the exception.
	 * @param found what was found
	 */
	public UnknownFormatException(String found) {
		// The value may be anything, and is shown in logs.
		super(((found.length() > LONGEST) ? found.substring(0, LONGEST) : found).replaceAll("[\\p{Cntrl}\\p{Cs}]",
				"?"));
	}

	/**
	 * Create an exception for what several nodes have found.
	 */
	UnknownFormatException(String why, String each) {
		super("What is stored is not of the form that this version writes, so it is taken (" + why
				+ "). A later version may have written it. " + each);
	}

}
