package io.distributedlock.backend.redlock;

import java.time.Duration;

/**
 * Is told what this client finds out about the nodes. Called on the nodes' threads: must
 * not block and must not throw.
 *
 * @since 0.1.0
 */
public interface RedlockListener {

	/**
	 * Listens to nothing.
	 */
	RedlockListener NONE = new RedlockListener() {
	};

	/**
	 * A node can't be reached.
	 * @param node the node
	 * @param reason what went wrong
	 */
	default void down(String node, String reason) {
	}

	/**
	 * A node has a vote.
	 * @param node the node
	 */
	default void voting(String node) {
	}

	/**
	 * A node may have forgotten its locks, and does not vote until every lease is over
	 * that it may have voted for.
	 * @param node the node
	 * @param length how long that takes from now on
	 */
	default void quarantined(String node, Duration length) {
	}

	/**
	 * A node is not used until somebody changes something.
	 * @param node the node
	 * @param reason why
	 */
	default void refused(String node, String reason) {
	}

	/**
	 * A node refuses a command for good, though it is used: its user lacks a right. Told
	 * once for each command of a node.
	 * @param node the node
	 * @param reason the command and the user
	 */
	default void commandRefused(String node, String reason) {
	}

	/**
	 * More nodes have forgotten their locks than a majority can bear. From here on,
	 * fencing tokens are greater than the forgotten ones only by the nodes' clocks.
	 * @param node the node that votes again
	 */
	default void floorEstimated(String node) {
	}

	/**
	 * The clock of a node jumped; its locks may have run out too early, so that it does
	 * not vote for a time.
	 * @param node the node
	 * @param size by how much, about
	 */
	default void clockJumped(String node, Duration size) {
	}

	/**
	 * The clocks of a majority jumped alike: it was the monotonic clock of this JVM that
	 * stood still, as that of a suspended machine does.
	 * @param length for how long, about
	 */
	default void stoodStill(Duration length) {
	}

}
