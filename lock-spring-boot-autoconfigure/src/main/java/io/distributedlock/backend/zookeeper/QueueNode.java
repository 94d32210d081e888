package io.distributedlock.backend.zookeeper;

import java.util.Comparator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import io.distributedlock.LockMode;
import io.distributedlock.spi.OwnerId;

/**
 * A node in the queue for a lock, named {@code <id>-<session>-lock-<number>}. So each
 * listing shows to which attempt and session it belongs, and its mode.
 *
 * @param name the name of the node
 * @param id the id of the attempt that made it, see {@link PlaceIds}
 * @param session the session that it ends with
 * @param number the number that the server gave it
 */
record QueueNode(String name, OwnerId id, long session, int number) {

	/**
	 * First come, first served. The number has 32 bits and wraps around, so it is
	 * compared by difference.
	 */
	static final Comparator<QueueNode> ORDER = (one, other) -> Integer.signum(one.number - other.number);

	private static final Pattern FORM = Pattern.compile("([0-9a-f]{32})-([0-9a-f]{1,16})-lock-(-?\\d{9,10})");

	static String prefix(OwnerId id, long session) {
		return id.value() + "-" + Long.toHexString(session) + "-lock-";
	}

	LockMode mode() {
		return PlaceIds.modeOf(this.id);
	}

	static @Nullable QueueNode parse(String name) {
		Matcher matcher = FORM.matcher(name);
		if (!matcher.matches()) {
			return null;
		}
		return new QueueNode(name, new OwnerId(matcher.group(1)), Long.parseUnsignedLong(matcher.group(2), 16),
				(int) Long.parseLong(matcher.group(3)));
	}

}
