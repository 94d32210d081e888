package io.distributedlock.backend.zookeeper;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import io.distributedlock.LockMode;
import io.distributedlock.LockRequest;
import io.distributedlock.spi.OwnerId;

/**
 * A cooldown, whose node is named {@code cooldown-<milliseconds>-<id>}. It begins with
 * the creation of the node, which outlives the session, and lasts for its length. The id
 * is that of the queue node in whose place it stands, and shows the mode.
 * <p>
 * The leader's clock dates both the beginning of the cooldown and the creation of a
 * waiter's node, and that node existed before this client saw it. So no waiter is early,
 * whatever the client's own clock shows, unless the leader's clock was set forward
 * between the two. If the leader's clock was set back, a waiter is kept out for at most
 * the whole length from its first sight of the cooldown.
 *
 * @param name the name of the node
 * @param length how long it lasts
 * @param mode the mode of the lease that it follows. It counts as a member of a group of
 * that mode and excludes all others
 */
record CooldownNode(String name, Duration length, LockMode mode) {

	private static final Pattern FORM = Pattern.compile("cooldown-(\\d{1,18})-([0-9a-f]{32})");

	static CooldownNode of(Duration length, OwnerId id) {
		// Rounded up, so that a cooldown is never too short.
		long millis = length.plusNanos(999_999).toMillis();
		return new CooldownNode("cooldown-" + millis + "-" + id.value(), Duration.ofMillis(millis),
				PlaceIds.modeOf(id));
	}

	static @Nullable CooldownNode parse(String name) {
		Matcher matcher = FORM.matcher(name);
		if (!matcher.matches()) {
			return null;
		}
		// No request may ask for more, but a damaged node may show more.
		long millis = Math.min(Long.parseLong(matcher.group(1)), LockRequest.MAX_HOLD_TIME.toMillis());
		return new CooldownNode(name, Duration.ofMillis(millis), PlaceIds.modeOf(new OwnerId(matcher.group(2))));
	}

	/**
	 * Return the remaining time for a client with a node in the queue.
	 * @param own its node
	 * @param begunAt the time of the leader's clock at which the cooldown began
	 * @param now the monotonic time
	 */
	Duration rest(OwnQueueNode own, long begunAt, long now) {
		// One millisecond more, since the leader's clock shows no fractions.
		Duration fromNode = this.length.plusMillis(begunAt - own.stat().getCtime() + 1).minusNanos(now - own.seenAt());
		Duration fromSight = this.length.minusNanos(now - own.firstSightOf(this.name, now));
		return Collections.max(List.of(Duration.ZERO, Collections.min(List.of(fromNode, fromSight))));
	}

	/**
	 * Return the remaining time by the leader's clock, for a client without a node in the
	 * queue.
	 */
	Duration rest(long begunAt, long storeMillis) {
		return Collections.max(List.of(Duration.ZERO, this.length.minusMillis(storeMillis - begunAt)));
	}

}
