package io.distributedlock.backend.zookeeper;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import io.distributedlock.LockRequest;
import io.distributedlock.spi.OwnerId;

/**
 * A cooldown, by the name of its node: {@code cooldown-<milliseconds>-<owner id>}. It
 * begins with the node, which outlives the session, and lasts for its length.
 * <p>
 * Its beginning and that of the node of a waiter are both known by the leader's clock,
 * and that node was there before it was seen on ours: so no waiter is early, whatever the
 * clocks say. A leader whose clock was set back can't keep a waiter out for longer than
 * the whole length from the first sight.
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

	/**
	 * Return what is left for a client with a node in the queue.
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
	 * Return what is left by the leader's clock, for a client without a node in the
	 * queue.
	 */
	Duration rest(long begunAt, long storeMillis) {
		return Collections.max(List.of(Duration.ZERO, this.length.minusMillis(storeMillis - begunAt)));
	}

}
