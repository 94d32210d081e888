package io.distributedlock.autoconfigure;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

/**
 * Hides passwords in text for people.
 */
final class LockSecrets {

	/**
	 * The replacement of a secret, as in Spring Boot's endpoints.
	 */
	static final String HIDDEN = "******";

	private static final Pattern ADDRESS = Pattern
		.compile("\\s*(\\w+://)?(\\[[^@\\]]*\\]|[^:@\\[\\]]*)(:\\d+)?(/[^:@]*)?\\s*");

	private LockSecrets() {
	}

	/**
	 * Return the replacement of a value that is a secret as a whole.
	 * @param secret the secret, or {@code null} without one
	 * @return the replacement, or {@code null} without a secret
	 */
	static @Nullable String hide(@Nullable String secret) {
		return (secret != null) ? HIDDEN : null;
	}

	/**
	 * Return addresses without users and passwords.
	 * @param addresses hosts or URLs with commas between
	 * @return the addresses with {@value #HIDDEN} instead of the part before an
	 * {@code @}, and instead of text that is not an address
	 */
	static String hideUserInfo(String addresses) {
		Deque<String> shown = new ArrayDeque<>();
		for (String part : addresses.split(",", -1)) {
			boolean user = part.indexOf('@') >= 0;
			String address = part;
			// The password may contain commas, so the preceding text may be its
			// beginning.
			while (user && !hasScheme(address) && !shown.isEmpty() && shown.peekLast().indexOf('@') < 0) {
				address = shown.removeLast() + "," + address;
			}
			shown.add(address);
		}
		return shown.stream().map(LockSecrets::hideUserInfoOfOne).collect(Collectors.joining(","));
	}

	private static boolean hasScheme(String address) {
		int scheme = address.indexOf("://");
		return scheme >= 0 && scheme < address.indexOf('@');
	}

	private static String hideUserInfoOfOne(String address) {
		// Take the last one, because a password may contain others that are not escaped.
		int at = address.lastIndexOf('@');
		if (at < 0) {
			return ADDRESS.matcher(address).matches() ? address : HIDDEN;
		}
		int scheme = address.indexOf("://");
		return ((scheme >= 0 && scheme < at) ? address.substring(0, scheme + 3) : "") + HIDDEN + address.substring(at);
	}

}
