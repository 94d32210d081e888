package io.distributedlock.backend.redis;

import java.util.Locale;

import org.jspecify.annotations.Nullable;

import io.distributedlock.LockException;
import io.distributedlock.LockUnavailableException;

/**
 * What faults mean, whichever driver reports them and whatever they are wrapped in: the
 * server's errors begin with a word in capital letters.
 */
final class RedisFaults {

	private static final int DEEPEST = 10;

	private RedisFaults() {
	}

	/**
	 * Return whether the server does not know a script, and so has not run it.
	 * @param fault what was thrown
	 * @return whether the script is to be sent in full
	 */
	static boolean isScriptUnknown(Throwable fault) {
		return startsWith(fault, "NOSCRIPT");
	}

	/**
	 * Return whether the keys of a script are between two servers of a Cluster, so that
	 * neither has run it.
	 * @param fault what was thrown
	 * @return whether a script with one key, or a later one, may succeed
	 */
	static boolean isSlotMoving(Throwable fault) {
		return startsWith(fault, "TRYAGAIN");
	}

	/**
	 * Return whether the user may not do this.
	 * @param fault what was thrown
	 * @return whether it is of no use to ask again
	 */
	static boolean isForbidden(Throwable fault) {
		return startsWith(fault, "NOPERM") || startsWith(fault, "ERR ACL failure in script")
				|| startsWith(fault, "ERR The user executing the script can't run this command");
	}

	private static boolean startsWith(Throwable fault, String word) {
		Throwable current = fault;
		for (int depth = 0; current != null && depth < DEEPEST; depth++) {
			String message = current.getMessage();
			if (message != null && message.startsWith(word)) {
				return true;
			}
			current = current.getCause();
		}
		return false;
	}

	/**
	 * Say what went wrong.
	 * @param fault what was thrown
	 * @return what to tell the caller
	 */
	static LockException explain(Throwable fault) {
		if (fault instanceof LockException already) {
			return already;
		}
		return new LockUnavailableException("The Redis of the locks could not be asked: " + reason(fault), fault);
	}

	/**
	 * Return what the driver or the server said, without what was around it.
	 * @param fault what was thrown
	 * @return the reason
	 */
	static String reason(Throwable fault) {
		Throwable current = fault;
		@Nullable String message = fault.getMessage();
		for (int depth = 0; current.getCause() != null && depth < DEEPEST; depth++) {
			current = current.getCause();
			message = (current.getMessage() != null) ? current.getMessage() : message;
		}
		return (message != null) ? message : fault.getClass().getSimpleName().toLowerCase(Locale.ROOT);
	}

}
