package io.distributedlock.backend.redis;

import java.util.Locale;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import io.distributedlock.LockException;
import io.distributedlock.LockUnavailableException;

/**
 * What faults mean, whichever driver reports them and whatever they are wrapped in: the
 * server's errors begin with a word in capital letters.
 */
final class RedisFaults {

	private static final int DEEPEST = 10;

	/**
	 * What an error of the server begins with.
	 */
	private static final Pattern ERROR = Pattern.compile("^([A-Z]{3,})\\s");

	private static final Set<String> REFUSING_ALL = Set.of("BUSY", "CLUSTERDOWN", "LOADING", "MASTERDOWN", "MISCONF",
			"NOAUTH", "OOM", "READONLY", "WRONGPASS");

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

	/**
	 * Return whether the server refuses keys of different hash slots in one script.
	 * @param fault what was thrown
	 * @return whether it is a server of a Cluster
	 */
	static boolean isCrossSlot(Throwable fault) {
		return startsWith(fault, "CROSSSLOT");
	}

	/**
	 * Return whether the server has refused a script because of something in it, so that
	 * the parts of it may succeed.
	 * @param fault what was thrown
	 * @return {@code false} if there was no answer, or if the server refuses every script
	 */
	static boolean isRefusedAsAWhole(Throwable fault) {
		return matches(fault, (message) -> {
			Matcher word = ERROR.matcher(message);
			return word.find() && !REFUSING_ALL.contains(word.group(1));
		}) && !isForbidden(fault);
	}

	/**
	 * Return whether the server has answered, with an error.
	 * @param fault what was thrown
	 * @return {@code false} if there was no answer
	 */
	static boolean isAnswer(Throwable fault) {
		return matches(fault, (message) -> ERROR.matcher(message).find());
	}

	private static boolean startsWith(Throwable fault, String word) {
		return matches(fault, (message) -> message.startsWith(word));
	}

	private static boolean matches(Throwable fault, Predicate<String> condition) {
		Throwable current = fault;
		for (int depth = 0; current != null && depth < DEEPEST; depth++) {
			String message = current.getMessage();
			if (message != null && condition.test(message)) {
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
