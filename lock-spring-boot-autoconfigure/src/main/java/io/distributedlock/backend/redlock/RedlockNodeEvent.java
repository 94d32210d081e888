package io.distributedlock.backend.redlock;

import org.slf4j.event.Level;

/**
 * Published in the application when this process finds out something about a node of a
 * Redlock; what a {@link RedlockListener} receives, as an event.
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
		 * It can't be reached. The subject is the reason.
		 */
		DOWN(Level.WARN, "Node {} of the locks is down: {}", "%s"),

		/**
		 * It has a vote.
		 */
		VOTING(Level.INFO, "Node {} of the locks votes", "it votes"),

		/**
		 * It may have forgotten its locks, and does not vote until every lease is over
		 * that it may have voted for. The subject is how long that takes from now on.
		 */
		QUARANTINED(Level.WARN, "Node {} may have forgotten its locks, and does not vote for {}",
				"it does not vote for %s"),

		/**
		 * It is not used until somebody changes something. The subject is the reason.
		 */
		REFUSED(Level.ERROR, "Node {} is not used for locks: {}", "%s"),

		/**
		 * It refuses a command that the locks need for good, though it is used: its user
		 * lacks a right. Reported once for each command of a node. The subject is the
		 * command and the user.
		 */
		COMMAND_REFUSED(Level.ERROR, "Node {} of the locks refuses what they need: {}", "%s"),

		/**
		 * It votes again after more nodes have forgotten their locks than a majority can
		 * bear. From here on, fencing tokens are greater than the forgotten ones only by
		 * the nodes' clocks.
		 */
		FLOOR_ESTIMATED(Level.WARN,
				"More nodes have forgotten their locks than a majority can bear. Fencing tokens that node {}"
						+ " votes for are greater than earlier ones only by the clocks of the nodes",
				"the order of tokens rests on the nodes' clocks"),

		/**
		 * Its clock jumped; its locks may have run out too early, so that it does not
		 * vote for a time. The subject is by how much it jumped, about.
		 */
		CLOCK_JUMPED(Level.WARN,
				"The clock of node {} jumped by about {}: its locks may have run out too early, and it does"
						+ " not vote for a time",
				"its clock jumped by about %s");

		private final Level level;

		private final String message;

		private final String detail;

		Change(Level level, String message, String detail) {
			this.level = level;
			this.message = message;
			this.detail = detail;
		}

		Level level() {
			return this.level;
		}

		/**
		 * Return the message of the log, with places for the node and the subject.
		 */
		String message() {
			return this.message;
		}

		/**
		 * Return the detail of an event.
		 * @param subject why that is so, how long it takes or how large it is
		 * @return the detail
		 */
		public String detail(String subject) {
			return this.detail.formatted(subject);
		}

	}

}
