package io.distributedlock.backend.redis;

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.distributedlock.LockException;
import io.distributedlock.LockRefusedException;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.backend.call.FaultCauses;
import io.distributedlock.backend.call.NotSentException;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.CompletionCauses;
import io.distributedlock.spi.QuarantineException;

/**
 * Determines what faults mean, independent of the driver that reports them and of the
 * exceptions around them. The server's errors begin with a word in capital letters.
 */
final class RedisFaults {

	private static final int LONGEST_SHOWN = 100;

	/**
	 * Beginning of an error of the server.
	 */
	private static final Pattern ERROR = Pattern.compile("^([A-Z]{3,}) ");

	private static final Set<String> REFUSING_ALL = Set.of("BUSY", "CLUSTERDOWN", "LOADING", "MASTERDOWN", "MISCONF",
			"NOAUTH", "OOM", "READONLY", "WRONGPASS");

	private RedisFaults() {
	}

	/**
	 * Return whether the server does not know a script, and so has not run it.
	 * @param fault what was thrown
	 * @return whether to send the script in full
	 */
	static boolean isScriptUnknown(Throwable fault) {
		return startsWith(fault, "NOSCRIPT");
	}

	/**
	 * Return whether the keys of a script are moving between two servers of a Cluster, so
	 * that neither server has run it.
	 * @param fault what was thrown
	 * @return whether a script with one key, or a later try, may succeed
	 */
	static boolean isSlotMoving(Throwable fault) {
		return startsWith(fault, "TRYAGAIN");
	}

	/**
	 * Return whether the user lacks a right.
	 * @param fault what was thrown
	 * @return whether repeating the call is useless
	 */
	static boolean isForbidden(Throwable fault) {
		return matches(fault, RedisFaults::isForbidden);
	}

	/**
	 * Return whether the user lacks a right.
	 * @param error an error of the server
	 * @return whether repeating the call is useless
	 */
	static boolean isForbidden(String error) {
		return error.startsWith("NOPERM") || error.contains("ACL failure in script")
				|| error.contains("The user executing the script can't");
	}

	/**
	 * Return the outcome of a failed attempt.
	 * @param fault how it failed
	 * @return the unavailable outcome, which shows whether the script may have been run
	 */
	static AttemptOutcome.Unavailable unavailable(Throwable fault) {
		LockException cause = explain(fault);
		return new AttemptOutcome.Unavailable(cause,
				!(cause instanceof NotSentException || cause instanceof QuarantineException));
	}

	/**
	 * Explain why there is no connection. Nothing was sent.
	 * @param fault what was thrown
	 * @return the explanation; a refusal if the server rejects the user, or if the user
	 * lacks a right that the driver needs to connect
	 */
	static LockUnavailableException noConnection(Throwable fault) {
		String message = "There is no connection to the Redis of the locks: " + reason(fault);
		// The first commands of a driver to a Cluster may be refused, too.
		boolean refused = matches(fault,
				(error) -> error.startsWith("WRONGPASS") || error.startsWith("NOAUTH") || error.contains("NOPERM"));
		return refused ? new LockRefusedException(message, fault) : new NotSentException(message, fault);
	}

	/**
	 * Return whether the server does not know a command.
	 * @param error an error of the server
	 * @return whether repeating the call is useless
	 */
	static boolean isCommandUnknown(String error) {
		return error.startsWith("ERR unknown command") || error.contains("Unknown Redis command called from");
	}

	/**
	 * Return whether the server refuses the call until its administrator changes it.
	 * @param fault what was thrown
	 * @return whether repeating the call is useless
	 */
	static boolean isRefusedForGood(Throwable fault) {
		return matches(fault, (error) -> isForbidden(error) || isCommandUnknown(error));
	}

	/**
	 * Return whether the application's connections do not support the call. For example,
	 * those to static replicas can't subscribe.
	 * @param fault what was thrown
	 * @return whether repeating the call is useless
	 */
	static boolean isUnsupported(Throwable fault) {
		return FaultCauses.of(fault).anyMatch(UnsupportedOperationException.class::isInstance);
	}

	/**
	 * Return whether a name holds a value of another type.
	 * @param fault what was thrown
	 * @return whether the value is not text
	 */
	static boolean isOfAnotherType(Throwable fault) {
		return matches(fault, (error) -> error.startsWith("WRONGTYPE") || error.contains(": WRONGTYPE"));
	}

	/**
	 * Return the error of the server.
	 * @param fault what was thrown
	 * @return the text of the error, or the driver's message if the fault has no error of
	 * the server
	 */
	static String error(Throwable fault) {
		return FaultCauses.messages(fault).filter(ERROR.asPredicate()).findFirst().orElseGet(() -> reason(fault));
	}

	/**
	 * Return whether the server refuses keys of different hash slots in one script.
	 * @param fault what was thrown
	 * @return whether the server belongs to a Cluster
	 */
	static boolean isCrossSlot(Throwable fault) {
		return startsWith(fault, "CROSSSLOT");
	}

	/**
	 * Return whether the server has refused a script because of a part of it, so that the
	 * other parts may succeed.
	 * @param fault what was thrown
	 * @return {@code false} if there was no answer, or if the server refuses every script
	 */
	static boolean isRefusedAsAWhole(Throwable fault) {
		return matches(fault, (message) -> {
			Matcher word = ERROR.matcher(message);
			return word.find() && !REFUSING_ALL.contains(word.group(1));
		}) && !isRefusedForGood(fault);
	}

	/**
	 * Return whether the server has answered with an error.
	 * @param fault what was thrown
	 * @return {@code false} if there was no answer
	 */
	static boolean isAnswer(Throwable fault) {
		return matches(fault, ERROR.asPredicate());
	}

	private static boolean startsWith(Throwable fault, String word) {
		return matches(fault, (message) -> message.startsWith(word));
	}

	private static boolean matches(Throwable fault, Predicate<String> condition) {
		return FaultCauses.messages(fault).anyMatch(condition);
	}

	/**
	 * Describe a stored value that this version does not understand.
	 * @param name the name under which it is stored
	 * @param found the value that was found
	 * @return the message
	 */
	static String notUnderstood(byte[] name, String found) {
		String shown = found.replaceAll("\\p{Cntrl}", "?");
		return "The value of '" + new String(name, StandardCharsets.UTF_8) + "' in Redis is "
				+ ((shown.length() > LONGEST_SHOWN) ? shown.substring(0, LONGEST_SHOWN) + "…" : shown)
				+ ", which this version does not understand: it is damaged, or a later version or another program"
				+ " has stored it; the lock counts as taken";
	}

	/**
	 * Explain why a call failed.
	 * @param fault what was thrown
	 * @return the exception for the caller
	 */
	static LockException explain(Throwable fault) {
		if (CompletionCauses.unwrap(fault) instanceof LockException already) {
			return already;
		}
		return new LockUnavailableException("The Redis of the locks could not be asked: " + reason(fault), fault);
	}

	/**
	 * Return the message of the driver or the server, without those of the exceptions
	 * around it.
	 * @param fault what was thrown
	 * @return the reason
	 */
	static String reason(Throwable fault) {
		return FaultCauses.messages(fault)
			.reduce((outer, inner) -> inner)
			.orElseGet(() -> fault.getClass().getSimpleName().toLowerCase(Locale.ROOT));
	}

}
