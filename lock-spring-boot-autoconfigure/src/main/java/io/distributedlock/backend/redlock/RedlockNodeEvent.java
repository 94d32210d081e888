package io.distributedlock.backend.redlock;

/**
 * Published in the application when this process finds out something about a node of a
 * Redlock; what a {@link RedlockListener} is told, as an event.
 *
 * @param node the node, {@code host:port}
 * @param change what was found out
 * @param detail more of it, for people who look
 * @since 0.1.0
 */
public record RedlockNodeEvent(String node, Change change, String detail) {

	/**
	 * What can be found out about a node.
	 */
	public enum Change {

		/**
		 * It can't be reached.
		 */
		DOWN,

		/**
		 * It has a vote.
		 */
		VOTING,

		/**
		 * It may have forgotten its locks, and does not vote for a time.
		 */
		QUARANTINED,

		/**
		 * It is not used until somebody changes something.
		 */
		REFUSED,

		/**
		 * It refuses a command that the locks need, since its user lacks a right.
		 */
		COMMAND_REFUSED,

		/**
		 * It votes again after more nodes have forgotten their locks than a majority can
		 * bear: fencing tokens are greater than the forgotten ones only by the nodes'
		 * clocks.
		 */
		FLOOR_ESTIMATED,

		/**
		 * Its clock jumped, and it does not vote for a time.
		 */
		CLOCK_JUMPED

	}

}
