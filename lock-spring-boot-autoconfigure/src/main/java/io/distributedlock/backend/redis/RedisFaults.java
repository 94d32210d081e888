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
 * What faults mean, whichever driver reports them and whatever they are wrapped in: the
 * server's errors begin with a word in capital letters.
 */
final class RedisFaults {

	private static final int LONGEST_SHOWN = 100;

	/**
	 * What an error of the server begins with.
	 */
	private static final Pattern ERROR = Pattern.compile("^([A-Z]{3,}) ");

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
		return matches(fault, RedisFaults::isForbidden);
	}

	/**
	 * Return whether the user may not do this.
	 * @param error an error of the server
	 * @return whether it is of no use to ask again
	 */
	static boolean isForbidden(String error) {
		return error.startsWith("NOPERM") || error.contains("ACL failure in script")
				|| error.contains("The user executing the script can't");
	}

	/**
	 * Return what has become of an attempt whose call failed.
	 * @param fault how it failed
	 * @return that the store is unavailable, and whether the script may have been run
	 */
	static AttemptOutcome.Unavailable unavailable(Throwable fault) {
		LockException cause = explain(fault);
		return new AttemptOutcome.Unavailable(cause,
				!(cause instanceof NotSentException || cause instanceof QuarantineException));
	}

	/**
	 * Explain why there is no connection. Nothing was sent.
	 * @param fault what was thrown
	 * @return the explanation; a refusal if the server does not let the user in, or does
	 * not let it do what the driver needs to connect
	 */
	static LockUnavailableException noConnection(Throwable fault) {
		String message = "There is no connection to the Redis of the locks: " + reason(fault);
		// What a driver asks of a Cluster before anything else may be refused too.
		boolean refused = matches(fault,
				(error) -> error.startsWith("WRONGPASS") || error.startsWith("NOAUTH") || error.contains("NOPERM"));
		return refused ? new LockRefusedException(message, fault) : new NotSentException(message, fault);
	}

	/**
	 * Return whether the server does not have a command.
	 * @param error an error of the server
	 * @return whether it is of no use to ask again
	 */
	static boolean isCommandUnknown(String error) {
		return error.startsWith("ERR unknown command") || error.contains("Unknown Redis command called from");
	}

	/**
	 * Return whether the server refuses until somebody changes it.
	 * @param fault what was thrown
	 * @return whether it is of no use to ask again
	 */
	static boolean isRefusedForGood(Throwable fault) {
		return matches(fault, (error) -> isForbidden(error) || isCommandUnknown(error));
	}

	/**
	 * Return whether the application's connections can't do this at all, as those to
	 * static replicas can't subscribe.
	 * @param fault what was thrown
	 * @return whether it is of no use to ask again
	 */
	static boolean isUnsupported(Throwable fault) {
		return FaultCauses.of(fault).anyMatch(UnsupportedOperationException.class::isInstance);
	}

	/**
	 * Return whether there is something else under a name.
	 * @param fault what was thrown
	 * @return whether what is there is not text
	 */
	static boolean isOfAnotherType(Throwable fault) {
		return matches(fault, (error) -> error.startsWith("WRONGTYPE") || error.contains(": WRONGTYPE"));
	}

	/**
	 * Return the error of the server.
	 * @param fault what was thrown
	 * @return its text, or what the driver has said where it is none of the server
	 */
	static String error(Throwable fault) {
		return FaultCauses.messages(fault).filter(ERROR.asPredicate()).findFirst().orElseGet(() -> reason(fault));
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
		}) && !isRefusedForGood(fault);
	}

	/**
	 * Return whether the server has answered, with an error.
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
	 * Say that something stands at a key's place that this version does not understand.
	 * @param name the name under which it is stored
	 * @param found what was found
	 * @return the message
	 */
	static String notUnderstood(byte[] name, String found) {
		String shown = found.replaceAll("\\p{Cntrl}", "?");
		return "What Redis keeps as '" + new String(name, StandardCharsets.UTF_8) + "' is "
				+ ((shown.length() > LONGEST_SHOWN) ? shown.substring(0, LONGEST_SHOWN) + "…" : shown)
				+ ", which this version does not understand: it is damaged, or a later version or another program"
				+ " has stored it; the lock counts as taken";
	}

	/**
	 * Say what went wrong.
	 * @param fault what was thrown
	 * @return what to tell the caller
	 */
	static LockException explain(Throwable fault) {
		if (CompletionCauses.unwrap(fault) instanceof LockException already) {
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
		return FaultCauses.messages(fault)
			.reduce((outer, inner) -> inner)
			.orElseGet(() -> fault.getClass().getSimpleName().toLowerCase(Locale.ROOT));
	}

}
