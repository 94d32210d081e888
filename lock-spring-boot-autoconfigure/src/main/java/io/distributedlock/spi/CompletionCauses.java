package io.distributedlock.spi;

import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

/**
 * Determines why a stage was completed exceptionally.
 *
 * @since 0.1.0
 */
public final class CompletionCauses {

	private CompletionCauses() {
	}

	/**
	 * Return the original exception, which dependent stages and futures may have wrapped
	 * several times.
	 * @param failure the exception that a callback of a stage received, or that
	 * {@code get} has thrown
	 * @return the first cause that is not a wrapper, or the last wrapper if it has no
	 * cause
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
