package io.distributedlock.backend.zookeeper;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import io.distributedlock.spi.OwnerId;

/**
 * A cooldown, by the name of its node: {@code cooldown-<milliseconds>-<owner id>}. It
 * begins with the node, which outlives the session, and lasts for its length.
 *
 * @param name the name of the node
 * @param length how long it lasts
 */
record CooldownNode(String name, Duration length) {

	/**
	 * No request may ask for more; what damaged nodes show is bounded by it.
	 */
	static final Duration LONGEST = Duration.ofDays(3_650);

	private static final Pattern FORM = Pattern.compile("cooldown-(\\d{1,18})-[0-9a-f]{32}");

	static CooldownNode of(Duration length, OwnerId ownerId) {
		// Rounded up, so that it is never too short.
		long millis = length.plusNanos(999_999).toMillis();
		return new CooldownNode("cooldown-" + millis + "-" + ownerId.value(), Duration.ofMillis(millis));
	}

	static @Nullable CooldownNode parse(String name) {
		Matcher matcher = FORM.matcher(name);
		return matcher.matches() ? new CooldownNode(name, bounded(Duration.ofMillis(Long.parseLong(matcher.group(1)))))
				: null;
	}

	private static Duration bounded(Duration length) {
		return (length.compareTo(LONGEST) < 0) ? length : LONGEST;
	}

}
