package io.distributedlock.spi;

import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

/**
 * Finds out why a stage was completed exceptionally.
 *
 * @since 0.1.0
 */
public final class CompletionCauses {

	private CompletionCauses() {
	}

	/**
	 * Return what was thrown: dependent stages and futures wrap it, possibly several
	 * times.
	 * @param failure what a callback of a stage was given, or {@code get} has thrown
	 * @return the first cause that is no wrapper, or the last wrapper if it has none
	 */
	public static Throwable unwrap(Throwable failure) {
		Throwable current = failure;
		Throwable cause = current.getCause();
		while ((current instanceof CompletionException || current instanceof ExecutionException) && cause != null) {
			current = cause;
			cause = current.getCause();
		}
		return current;
	}

}
