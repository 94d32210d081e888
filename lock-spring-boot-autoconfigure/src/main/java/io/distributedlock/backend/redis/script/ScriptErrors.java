package io.distributedlock.backend.redis.script;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * Determines the command at which a script has stopped. A server names the line, and
 * rarely the command. Public for the stores only.
 *
 * @since 0.1.0
 */
public final class ScriptErrors {

	private static final Pattern LINE = Pattern.compile("user_script: ?(\\d+)");

	private static final Pattern CALL = Pattern.compile("redis\\.p?call\\('(\\w+)'");

	private static final Pattern NAMED = Pattern.compile("the '([^']+)' command|unknown (?:sub)?command ['`]([^'`]+)",
			Pattern.CASE_INSENSITIVE);

	private ScriptErrors() {
	}

	/**
	 * Return the command that an error is about.
	 * @param script the script that was run, or {@code null} if a command was
	 * @param error the error of the server
	 * @return the command in capital letters, if it can be determined
	 */
	public static Optional<String> command(@Nullable LuaScript script, String error) {
		Matcher named = NAMED.matcher(error);
		if (named.find()) {
			String name = (named.group(1) != null) ? named.group(1) : named.group(2);
			return Optional.of(name.toUpperCase(Locale.ROOT));
		}
		Matcher call = CALL.matcher((script != null) ? line(script, error) : "");
		return call.find() ? Optional.of(call.group(1)) : Optional.empty();
	}

	/**
	 * Return the line of a script that an error names.
	 * @param script the script
	 * @param error the error of the server
	 * @return the line; empty if the error names none
	 */
	public static String line(LuaScript script, String error) {
		Matcher number = LINE.matcher(error);
		List<String> lines = script.source().lines().toList();
		int line = number.find() ? Integer.parseInt(number.group(1)) : 0;
		return (line >= 1 && line <= lines.size()) ? lines.get(line - 1) : "";
	}

}
