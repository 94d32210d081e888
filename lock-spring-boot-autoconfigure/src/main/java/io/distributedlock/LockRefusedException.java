package io.distributedlock;

import org.jspecify.annotations.Nullable;

/**
 * Thrown if the store refuses a command that a lock needs, because the user lacks a
 * right, or a command, table or column is missing. The store will refuse the command
 * until an administrator changes that. The message names what is missing. Effects that
 * the refused call had before that step are undone in the background, or end with the
 * TTL.
 *
 * @since 0.1.0
 */
public class LockRefusedException extends LockUnavailableException {

	public LockRefusedException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
