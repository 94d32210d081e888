package io.distributedlock.backend.redlock.lettuce;

import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.distributedlock.backend.call.FaultCauses;
import io.distributedlock.backend.redis.script.LuaScript;
import io.distributedlock.backend.redis.script.ScriptErrors;
import io.distributedlock.backend.redlock.NodeRefusedException;

/**
 * Tells the answers of a node that last until somebody changes the node from those that
 * pass, and names the command and the user.
 */
final class NodeRefusals {

	private static final String A_COMMAND = "a command";

	private static final Pattern UNKNOWN = Pattern.compile("unknown (?:sub)?command ['`]([^'`]+)",
			Pattern.CASE_INSENSITIVE);

	private NodeRefusals() {
	}

	/**
	 * Return what a node refuses, if an error answer says that it refuses something for
	 * good.
	 * @param user the user that asked
	 * @param prefix what the names of keys and channels begin with
	 * @param script the script that ran, or {@code null} for a command
	 * @param fault what a call failed with
	 */
	static Optional<NodeRefusedException> find(String user, String prefix, @Nullable LuaScript script,
			@Nullable Throwable fault) {
		return Stream.ofNullable(fault)
			.flatMap(FaultCauses::of)
			.flatMap((cause) -> refusal(user, prefix, script, cause).stream())
			.findFirst();
	}

	private static Optional<NodeRefusedException> refusal(String user, String prefix, @Nullable LuaScript script,
			Throwable cause) {
		return (cause instanceof NodeRefusedException already) ? Optional.of(already)
				: explain(user, prefix, script, String.valueOf(cause.getMessage()))
					.map((refusal) -> new NodeRefusedException(refusal, cause));
	}

	/**
	 * Return what a node refuses for good, if an error answer says so.
	 * @param user the user that asked
	 * @param prefix what the names of keys and channels begin with
	 * @param command the command
	 * @param answer the error answer
	 */
	static Optional<NodeRefusedException> find(String user, String prefix, String command, String answer) {
		return explain(user, prefix, null, answer)
			.map((refusal) -> new NodeRefusedException(refusal.replace(A_COMMAND, command), null));
	}

	/**
	 * Explain an error answer.
	 */
	private static Optional<String> explain(String user, String prefix, @Nullable LuaScript script, String answer) {
		if (answer.startsWith("WRONGPASS") || answer.startsWith("NOAUTH")) {
			return Optional.of("it does not log in the user '" + user + "' (" + answer + ")");
		}
		String what = command(script, answer);
		if (answer.startsWith("NOPERM") || answer.contains("-NOPERM")
				|| answer.contains("The user executing the script can't")) {
			String right = answer.contains("channel") ? " on channels that begin with '" + prefix + "'"
					: answer.contains("keys") ? " on keys that begin with '" + prefix + "'" : "";
			return Optional.of("it does not let the user '" + user + "' run " + what + right + " (" + answer + ")");
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
