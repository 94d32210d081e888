package io.distributedlock.backend.redlock;

import org.slf4j.event.Level;

/**
 * Published in the application when this process finds out something about a node of a
 * Redlock. It reports what a {@link RedlockListener} receives.
 *
 * @param node the node, {@code host:port}
 * @param change what was found out
 * @param detail details, for diagnostics
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
		 * that it may have voted for. The subject is the time until then.
		 */
		QUARANTINED(Level.WARN, "Node {} may have forgotten its locks, and does not vote for {}",
				"it does not vote for %s"),

		/**
		 * It is not used until the administrator changes the node or the settings. The
		 * subject is the reason.
		 */
		REFUSED(Level.ERROR, "Node {} is not used for locks: {}", "%s"),

		/**
		 * It is used, but refuses a command that the locks need until the administrator
		 * changes it. Mostly its user lacks a right. This is reported once for each
		 * command of a node. The subject names the command and the user.
		 */
		COMMAND_REFUSED(Level.ERROR, "Node {} of the locks refuses what they need: {}", "%s"),

		/**
		 * It votes again after so many nodes have forgotten their locks that no majority
		 * of others votes. From now on, fencing tokens are greater than the forgotten
		 * ones only if the nodes' clocks are right.
		 */
		FLOOR_ESTIMATED(Level.WARN,
				"Too many nodes have forgotten their locks at the same time. Fencing tokens that node {} votes for"
						+ " are greater than earlier ones only if the clocks of the nodes are right",
				"the order of tokens depends on the nodes' clocks"),

		/**
		 * Its clock jumped. Its locks may have expired too early, so it does not vote for
		 * a time. The subject is the approximate size of the jump.
		 */
		CLOCK_JUMPED(Level.WARN,
				"The clock of node {} jumped by about {}: its locks may have expired too early, and it does"
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
		 * Return the message of the log, with placeholders for the node and the subject.
		 */
		String message() {
			return this.message;
		}

		/**
		 * Return the detail of an event.
		 * @param subject the reason, the duration or the size, depending on the change
		 * @return the detail
		 */
		public String detail(String subject) {
			return this.detail.formatted(subject);
		}

	}

}
