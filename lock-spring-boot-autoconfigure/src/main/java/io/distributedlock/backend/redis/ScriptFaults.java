package io.distributedlock.backend.redis;

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisConnectionFactory;

import io.distributedlock.LockException;
import io.distributedlock.LockRefusedException;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.backend.call.NotSentException;
import io.distributedlock.backend.redis.script.RedisKeys;
import io.distributedlock.backend.redis.script.ScriptCall;
import io.distributedlock.backend.redis.script.ScriptErrors;

/**
 * Explains the errors of scripts. The server names the line of the script, but neither
 * the command nor the key. Both are read from that line.
 *
 * @param user the user of the locks, if known
 * @param prefix the beginning of the names of keys and channels
 */
record ScriptFaults(@Nullable String user, String prefix) {

	private static final Pattern KEY = Pattern.compile("KEYS\\[(\\d)]");

	/**
	 * Create explanations for the locks of a server.
	 * @param factory opens connections to it
	 * @param settings the settings of the locks
	 */
	static ScriptFaults of(RedisConnectionFactory factory, RedisLockSettings settings) {
		return new ScriptFaults(RedisFactoryDetails.user(factory), new RedisKeys(settings.keyPrefix()).prefix());
	}

	/**
	 * Explain why a script failed.
	 * @param fault what was thrown
	 * @param call the script
	 * @return the exception for the caller
	 */
	LockException explain(Throwable fault, ScriptCall call) {
		if (fault instanceof LockException already) {
			return already;
		}
		if (RedisFaults.isRefusedForGood(fault)) {
			String error = RedisFaults.error(fault);
			return refused(ScriptErrors.command(call.script(), error).orElse("a command"), error,
					", which the script '" + call.script() + "' needs", fault);
		}
		if (RedisFaults.isOfAnotherType(fault)) {
			String message = RedisFaults.notUnderstood(key(fault, call), "of another type");
			// The script of an attempt has granted nothing by then.
			return RedisScripts.isAttempt(call.script()) ? new NotSentException(message, fault)
					: new LockUnavailableException(message, fault);
		}
		return RedisFaults.explain(fault);
	}

	/**
	 * Explain what the server refuses.
	 * @param command the command
	 * @param error the error of the server
	 * @param need the part of the message about the script that needs the command; empty
	 * outside of scripts
	 * @param fault what was thrown, if anything
	 */
	private LockRefusedException refused(String command, String error, String need, @Nullable Throwable fault) {
		String who = (this.user != null) ? "the user '" + this.user + "' of the locks" : "the user of the locks";
		if (RedisFaults.isCommandUnknown(error)) {
			return new LockRefusedException(
					"The Redis of the locks does not know the command " + command + need + ": " + error, fault);
		}
		String what = command;
		String right = "+" + command.toLowerCase(Locale.ROOT);
		if (error.contains("channel")) {
			what = "channels that begin with '" + this.prefix + "'";
			right = "&" + this.prefix + "*";
		}
		else if (error.contains("key")) {
			what = "keys that begin with '" + this.prefix + "'";
			right = "~" + this.prefix + "*";
		}
		return new LockRefusedException("The Redis of the locks refuses " + what + " to " + who + need + "; add '"
				+ right + "' to the user's ACL rule. It says: " + error, fault);
	}

	/**
	 * Explain why the waiters of a released lock were not notified.
	 * @param error the error that PUBLISH has returned
	 */
	LockUnavailableException unnotified(String error) {
		return (RedisFaults.isForbidden(error) || RedisFaults.isCommandUnknown(error))
				? refused("PUBLISH", "PUBLISH: " + error, "", null) : new LockUnavailableException(error);
	}

	/**
	 * Explain that the server refuses the subscription to releases.
	 * @param fault what was thrown
	 */
	LockRefusedException refusedSubscription(Throwable fault) {
		return refused("SUBSCRIBE", "SUBSCRIBE: " + RedisFaults.error(fault), "", fault);
	}

	private static byte[] key(Throwable fault, ScriptCall call) {
		Matcher key = KEY.matcher(ScriptErrors.line(call.script(), RedisFaults.error(fault)));
		int index = (key.find()) ? Integer.parseInt(key.group(1)) - 1 : 0;
		return (index < call.keys().size()) ? call.keys().get(index) : "?".getBytes(StandardCharsets.UTF_8);
	}

}
