package io.distributedlock.backend.redis;

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import io.distributedlock.LockException;
import io.distributedlock.LockRefusedException;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.backend.call.NotSentException;
import io.distributedlock.backend.redis.script.LuaScript;
import io.distributedlock.backend.redis.script.ScriptCall;
import io.distributedlock.backend.redis.script.ScriptErrors;

/**
 * Says what the errors of scripts mean. The server names the line of the script, and
 * neither the command nor the key.
 */
final class ScriptFaults {

	private static final Pattern KEY = Pattern.compile("KEYS\\[(\\d)]");

	private static final Pattern PREFIX_END = Pattern.compile("(\\{.*|state|released)$", Pattern.DOTALL);

	private static final Pattern OUTSIDE = Pattern.compile("^([A-Z]+): ");

	private ScriptFaults() {
	}

	/**
	 * Say what went wrong.
	 * @param fault what was thrown
	 * @param call the script
	 * @param user the user of the locks, if known
	 * @return what to tell the caller
	 */
	static LockException explain(Throwable fault, ScriptCall call, @Nullable String user) {
		if (fault instanceof LockException already) {
			return already;
		}
		if (RedisFaults.isRefusedForGood(fault)) {
			return refused(RedisFaults.error(fault), call.script(), prefix(call), user, fault);
		}
		if (RedisFaults.isOfAnotherType(fault)) {
			String message = RedisFaults.notUnderstood(key(fault, call), "of another type");
			// An attempt has not written anything by then.
			return isAttempt(call.script()) ? new NotSentException(message, fault)
					: new LockUnavailableException(message, fault);
		}
		return RedisFaults.explain(fault);
	}

	/**
	 * Say what the server refuses.
	 * @param error its error
	 * @param script the script in which it does, if in one
	 * @param prefix what the names of keys and channels begin with, if known
	 * @param user the user of the locks, if known
	 * @param fault what was thrown, if anything
	 */
	private static LockRefusedException refused(String error, @Nullable LuaScript script, @Nullable String prefix,
			@Nullable String user, @Nullable Throwable fault) {
		String who = (user != null) ? "the user '" + user + "' of the locks" : "the user of the locks";
		String command = command(error, script);
		String where = (script != null) ? ", which the script '" + script + "' needs" : "";
		if (RedisFaults.isCommandUnknown(error)) {
			return new LockRefusedException(
					"The Redis of the locks does not know the command " + command + where + ": " + error, fault);
		}
		String names = (prefix != null) ? prefix : "…";
		String what = command;
		String right = "+" + command.toLowerCase(Locale.ROOT);
		if (error.contains("channel")) {
			what = "channels that begin with '" + names + "'";
			right = "&" + names + "*";
		}
		else if (error.contains("key")) {
			what = "keys that begin with '" + names + "'";
			right = "~" + names + "*";
		}
		return new LockRefusedException("The Redis of the locks refuses " + what + " to " + who + where + "; add '"
				+ right + "' to the user's ACL rule. It says: " + error, fault);
	}

	/**
	 * Say why the waiters of a lock were not told that it was released.
	 * @param error the error that PUBLISH has returned
	 * @param channel the channel
	 * @param user the user of the locks, if known
	 */
	static LockUnavailableException unnotified(String error, byte[] channel, @Nullable String user) {
		return (RedisFaults.isForbidden(error) || RedisFaults.isCommandUnknown(error))
				? refused("PUBLISH: " + error, null, prefix(channel), user, null) : new LockUnavailableException(error);
	}

	/**
	 * Say that the server does not let the locks listen.
	 * @param fault what was thrown
	 * @param channel the channel
	 * @param user the user of the locks, if known
	 */
	static LockRefusedException refusedSubscription(Throwable fault, byte[] channel, @Nullable String user) {
		return refused("SUBSCRIBE: " + RedisFaults.error(fault), null, prefix(channel), user, fault);
	}

	private static @Nullable String prefix(ScriptCall call) {
		return call.keys().isEmpty() ? null : prefix(call.keys().get(0));
	}

	/**
	 * Return what a name begins with: in names of locks a brace follows it.
	 */
	private static String prefix(byte[] name) {
		return PREFIX_END.matcher(new String(name, StandardCharsets.UTF_8)).replaceFirst("");
	}

	private static String command(String error, @Nullable LuaScript script) {
		Matcher named = OUTSIDE.matcher(error);
		if (named.find()) {
			return named.group(1);
		}
		return ScriptErrors.command(script, error).orElse("a command");
	}

	private static byte[] key(Throwable fault, ScriptCall call) {
		Matcher key = KEY.matcher(ScriptErrors.line(call.script(), RedisFaults.error(fault)));
		int index = (key.find()) ? Integer.parseInt(key.group(1)) - 1 : 0;
		return (index < call.keys().size()) ? call.keys().get(index) : "?".getBytes(StandardCharsets.UTF_8);
	}

	private static boolean isAttempt(LuaScript script) {
		return script == RedisScripts.ACQUIRE || script == RedisScripts.GUARDED_ACQUIRE;
	}

}
