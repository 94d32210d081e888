package io.distributedlock.backend.zookeeper;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

/**
 * The sessions in one listing: those that live, by their heartbeats, and those whose
 * client has ended its leases and recorded that. Other names are ignored.
 *
 * @param heartbeats the heartbeats
 * @param closed the sessions whose client has shut down in order
 */
record SessionListing(List<HeartbeatNode> heartbeats, Set<Long> closed) {

	private static final Pattern CLOSED = Pattern.compile("closed-([0-9a-f]{1,16})");

	static SessionListing of(List<String> names) {
		return new SessionListing(names.stream().map(HeartbeatNode::parse).filter(Objects::nonNull).toList(),
				names.stream()
					.map(CLOSED::matcher)
					.filter(Matcher::matches)
					.map((name) -> Long.parseUnsignedLong(name.group(1), 16))
					.collect(Collectors.toSet()));
	}

	static String closedName(long session) {
		return "closed-" + Long.toHexString(session);
	}

	static boolean isClosedName(String name) {
		return CLOSED.matcher(name).matches();
	}

	List<HeartbeatNode> heartbeatsOf(long session) {
		return this.heartbeats.stream().filter((heartbeat) -> heartbeat.session() == session).toList();
	}

	/**
	 * Return whether a node of this session that is gone was removed in order. If the
	 * session lives, the node was released or forced. If it was closed, its client had
	 * ended the leases before.
	 */
	boolean isInOrder(long session) {
		return this.closed.contains(session) || !heartbeatsOf(session).isEmpty();
	}

	/**
	 * Return the longest timeout of a session's heartbeats, or {@code null} if none is
	 * known.
	 */
	@Nullable Duration timeoutOf(long session) {
		return heartbeatsOf(session).stream()
			.map(HeartbeatNode::timeout)
			.filter(Objects::nonNull)
			.max(Comparator.naturalOrder())
			.orElse(null);
	}

}
