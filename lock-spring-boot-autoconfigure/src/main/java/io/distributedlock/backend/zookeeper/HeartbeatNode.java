package io.distributedlock.backend.zookeeper;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * The node by which a client shows that its session lives, named
 * {@code <session>-<client>-<session timeout in milliseconds>}. A later version may
 * append to the name: every name that begins with a session counts as its heartbeat.
 *
 * @param name the name of the node
 * @param session the session that it ends with
 * @param timeout the session timeout, or {@code null} if the name does not show it
 */
record HeartbeatNode(String name, long session, @Nullable Duration timeout) {

	private static final Pattern FORM = Pattern.compile("([0-9a-f]{1,16})-(?:[0-9a-f]{8}-(\\d{1,9})(?:-.*)?|.*)");

	static String name(long session, String client, Duration timeout) {
		return Long.toHexString(session) + "-" + client + "-" + timeout.toMillis();
	}

	static @Nullable HeartbeatNode parse(String name) {
		Matcher matcher = FORM.matcher(name);
		if (!matcher.matches()) {
			return null;
		}
		String millis = matcher.group(2);
		return new HeartbeatNode(name, Long.parseUnsignedLong(matcher.group(1), 16),
				(millis != null) ? Duration.ofMillis(Long.parseLong(millis)) : null);
	}

}
