package io.distributedlock.backend.redlock;

import java.time.Duration;

/**
 * Learns what this client finds out about the nodes. Called on the nodes' threads: must
 * not block and must not throw.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface RedlockListener {

	/**
	 * Listens to nothing.
	 */
	RedlockListener NONE = (node, change, subject) -> {
	};

	/**
	 * Something was found out about a node.
	 * @param node the node
	 * @param change what was found out
	 * @param subject why that is so, how long it takes or how large it is, as the change
	 * says; may be empty
	 */
	void changed(String node, RedlockNodeEvent.Change change, String subject);

	/**
	 * The clocks of a majority jumped alike: it was the monotonic clock of this JVM that
	 * stood still, as that of a suspended machine does.
	 * @param length for how long, about
	 */
	default void stoodStill(Duration length) {
	}

}
