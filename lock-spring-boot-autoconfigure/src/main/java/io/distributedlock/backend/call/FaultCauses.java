package io.distributedlock.backend.call;

import java.util.Objects;
import java.util.stream.Stream;

/**
 * Iterates over the causes of an exception that a driver has thrown. Public for the
 * stores only.
 *
 * @since 0.1.0
 */
public final class FaultCauses {

	/**
	 * Causes may form a circle.
	 */
	private static final int DEEPEST = 32;

	private FaultCauses() {
	}

	/**
	 * Return a fault and its causes.
	 * @param fault what was thrown
	 * @return the fault first, and its innermost cause last
	 */
	public static Stream<Throwable> of(Throwable fault) {
		return Stream.iterate(fault, Objects::nonNull, Throwable::getCause).limit(DEEPEST);
	}

	/**
	 * Return the messages of a fault and its causes, as far as they have one.
	 * @param fault what was thrown
	 * @return the messages, in the order of the causes
	 */
	public static Stream<String> messages(Throwable fault) {
		return of(fault).map(Throwable::getMessage).filter(Objects::nonNull);
	}

}
