package io.distributedlock.autoconfigure;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

/**
 * Hides passwords in what is shown to people.
 */
final class LockSecrets {

	/**
	 * What is shown in the place of a secret, as by Spring Boot's endpoints.
	 */
	static final String HIDDEN = "******";

	private static final Pattern ADDRESS = Pattern
		.compile("\\s*(\\w+://)?(\\[[^@\\]]*\\]|[^:@\\[\\]]*)(:\\d+)?(/[^:@]*)?\\s*");

	private LockSecrets() {
	}

	/**
	 * Return what is shown in place of a value that is a secret as a whole.
	 * @param secret the secret, or {@code null} without one
	 * @return what is shown
	 */
	static @Nullable String hide(@Nullable String secret) {
		return (secret != null) ? HIDDEN : null;
	}

	/**
	 * Return addresses without users and passwords.
	 * @param addresses hosts or URLs with commas between
	 * @return the same with {@value #HIDDEN} in place of what comes before an {@code @}
	 * and of what is no address
	 */
	static String hideUserInfo(String addresses) {
		Deque<String> shown = new ArrayDeque<>();
		for (String part : addresses.split(",", -1)) {
			boolean user = part.indexOf('@') >= 0;
			String address = part;
			// The password may hold commas: what comes before may be the begin of it.
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
		// The last one: a password may hold others that are not escaped.
		int at = address.lastIndexOf('@');
		if (at < 0) {
			return ADDRESS.matcher(address).matches() ? address : HIDDEN;
		}
		int scheme = address.indexOf("://");
		return ((scheme >= 0 && scheme < at) ? address.substring(0, scheme + 3) : "") + HIDDEN + address.substring(at);
	}

}
