package io.distributedlock.backend.redlock.lettuce;

import java.util.Optional;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import io.distributedlock.backend.call.FaultCauses;
import io.distributedlock.backend.redis.script.LuaScript;
import io.distributedlock.backend.redis.script.ScriptErrors;
import io.distributedlock.backend.redlock.NodeRefusedException;

/**
 * Distinguishes error answers that last until the node is changed from those that pass,
 * and names the command and the user.
 *
 * @param user the user of the connection
 * @param prefix the prefix of keys and channels
 */
record NodeRefusals(String user, String prefix) {

	private static final String A_COMMAND = "a command";

	private static final Pattern UNKNOWN = Pattern.compile("unknown (?:sub)?command ['`]([^'`]+)",
			Pattern.CASE_INSENSITIVE);

	/**
	 * Return the refusal, if a fault is an error answer that lasts until the node is
	 * changed.
	 * @param script the script that ran, or {@code null} for a command
	 * @param fault the fault of a call
	 */
	Optional<NodeRefusedException> find(@Nullable LuaScript script, Throwable fault) {
		return FaultCauses.of(fault).flatMap((cause) -> refusal(script, cause).stream()).findFirst();
	}

	private Optional<NodeRefusedException> refusal(@Nullable LuaScript script, Throwable fault) {
		return (fault instanceof NodeRefusedException already) ? Optional.of(already)
				: explain(script, String.valueOf(fault.getMessage()))
					.map((refusal) -> new NodeRefusedException(refusal, fault));
	}

	/**
	 * Return the refusal, if an error answer lasts until the node is changed.
	 * @param command the command
	 * @param answer the error answer
	 */
	Optional<NodeRefusedException> find(String command, String answer) {
		return explain(null, answer)
			.map((refusal) -> new NodeRefusedException(refusal.replace(A_COMMAND, command), null));
	}

	/**
	 * Explain an error answer.
	 */
	private Optional<String> explain(@Nullable LuaScript script, String answer) {
		if (answer.startsWith("WRONGPASS") || answer.startsWith("NOAUTH")) {
			return Optional.of("it does not log in the user '" + this.user + "' (" + answer + ")");
		}
		String what = command(script, answer);
		if (answer.startsWith("NOPERM") || answer.contains("-NOPERM")
				|| answer.contains("The user executing the script can't")) {
			String right = answer.contains("channel") ? " on channels that begin with '" + this.prefix + "'"
					: answer.contains("keys") ? " on keys that begin with '" + this.prefix + "'" : "";
			return Optional
				.of("it does not let the user '" + this.user + "' run " + what + right + " (" + answer + ")");
		}
		boolean unknown = answer.contains("Unknown Redis command") || UNKNOWN.matcher(answer).find()
				|| answer.contains("is not allowed from script");
		return unknown ? Optional.of("it does not know the command " + what + " (" + answer + ")") : Optional.empty();
	}

	private static String command(@Nullable LuaScript script, String answer) {
		return ScriptErrors.command(script, answer)
			.map((command) -> command.replace('|', ' '))
			.orElse((script != null) ? "the script '" + script.name() + "'" : A_COMMAND);
	}

}
