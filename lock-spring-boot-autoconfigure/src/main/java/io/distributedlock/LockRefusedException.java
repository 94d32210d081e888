package io.distributedlock;

import org.jspecify.annotations.Nullable;

/**
 * The store refuses a command that a lock needs, and will go on doing so until somebody
 * changes the store: the user lacks a right, or a command, table or column is missing.
 * The message names what is missing. What a refused call has done before that step is
 * taken back in the background, or ends with the ttl.
 *
 * @since 0.1.0
 */
public class LockRefusedException extends LockUnavailableException {

	public LockRefusedException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
