package io.distributedlock.backend.zookeeper;

import java.time.Instant;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import io.distributedlock.spi.OwnerId;

/**
 * A tick that has run or is running. Its node, named
 * {@code tick-<milliseconds>-<owner id>}, outlives the session.
 *
 * @param name the name of the node
 * @param millis the tick, in milliseconds since 1970
 * @param ownerId the owner id of the node whose holder ran it
 */
record TickNode(String name, long millis, OwnerId ownerId) {

	private static final Pattern FORM = Pattern.compile("tick-(-?\\d{1,19})-([0-9a-f]{32})");

	static TickNode of(long millis, OwnerId ownerId) {
		return new TickNode("tick-" + millis + "-" + ownerId.value(), millis, ownerId);
	}

	/**
	 * Return whether this tick was stored for the given node, by a request whose answer
	 * was lost.
	 */
	boolean isOf(OwnQueueNode node, Instant tick) {
		return this.ownerId.equals(node.ownerId()) && this.millis == tick.toEpochMilli();
	}

	static @Nullable TickNode parse(String name) {
		Matcher matcher = FORM.matcher(name);
		return matcher.matches() ? new TickNode(name, Long.parseLong(matcher.group(1)), new OwnerId(matcher.group(2)))
				: null;
	}

}
