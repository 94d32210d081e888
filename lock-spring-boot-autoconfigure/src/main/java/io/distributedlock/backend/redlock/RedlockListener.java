package io.distributedlock.backend.redlock;

import java.time.Duration;

/**
 * Receives what this client finds out about the nodes. It is called on the nodes'
 * threads, so it must not block and must not throw.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface RedlockListener {

	/**
	 * Ignores all calls.
	 */
	RedlockListener NONE = (node, change, subject) -> {
	};

	/**
	 * Receive what was found out about a node.
	 * @param node the node
	 * @param change what was found out
	 * @param subject the reason, the duration or the size, depending on the change; may
	 * be empty
	 */
	void changed(String node, RedlockNodeEvent.Change change, String subject);

	/**
	 * Receive that the monotonic clock of this JVM stood still, as that of a suspended
	 * machine does. The clocks of a majority of nodes jumped alike.
	 * @param length the approximate time for which it stood still
	 */
	default void stoodStill(Duration length) {
	}

}
