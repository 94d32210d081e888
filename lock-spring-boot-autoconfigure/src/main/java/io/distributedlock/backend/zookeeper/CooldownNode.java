package io.distributedlock.backend.zookeeper;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import io.distributedlock.LockRequest;
import io.distributedlock.spi.OwnerId;

/**
 * A cooldown, by the name of its node: {@code cooldown-<milliseconds>-<owner id>}. It
 * begins with the node, which outlives the session, and lasts for its length.
 *
 * @param name the name of the node
 * @param length how long it lasts
 */
record CooldownNode(String name, Duration length) {

	private static final Pattern FORM = Pattern.compile("cooldown-(\\d{1,18})-[0-9a-f]{32}");

	static CooldownNode of(Duration length, OwnerId ownerId) {
		// Rounded up, so that it is never too short.
		long millis = length.plusNanos(999_999).toMillis();
		return new CooldownNode("cooldown-" + millis + "-" + ownerId.value(), Duration.ofMillis(millis));
	}

	static @Nullable CooldownNode parse(String name) {
		Matcher matcher = FORM.matcher(name);
		if (!matcher.matches()) {
			return null;
		}
		// No request may ask for more, but a damaged node may show it.
		long millis = Math.min(Long.parseLong(matcher.group(1)), LockRequest.MAX_HOLD_TIME.toMillis());
		return new CooldownNode(name, Duration.ofMillis(millis));
	}

}
