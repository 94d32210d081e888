package io.distributedlock.backend.redis;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.distributedlock.backend.redis.script.ScriptReplies;

/**
 * The tokens of a lease as a counter or the tokens of a group show them.
 *
 * @param last the last token, zero if it is unknown
 * @param count the number of tokens
 */
record StoredTokens(long last, long count) {

	private static final Pattern FORM = Pattern.compile("(\\d{7,16})(?:/(\\d{1,16}))?(?:\\|-?\\d+)?");

	static StoredTokens read(String value) {
		Matcher matcher = FORM.matcher(value);
		if (!matcher.matches()) {
			return new StoredTokens(0, 0);
		}
		String count = matcher.group(2);
		return new StoredTokens(Long.parseLong(matcher.group(1)), (count != null) ? Long.parseLong(count) : 1);
	}

	/**
	 * Return the time since the grant. Tokens are microseconds, and may be a little ahead
	 * of the server's clock.
	 * @param nowMicros the server's clock in microseconds
	 */
	Duration heldFor(long nowMicros) {
		return (this.last == 0) ? Duration.ZERO
				: ScriptReplies.duration((nowMicros - (this.last - this.count + 1)) / 1000);
	}

}
