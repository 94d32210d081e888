package io.distributedlock.spi;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * What a connection knows of a node of its store, without asking it.
 *
 * @param node the address of the node as it is configured, without user and password
 * @param state its state
 * @param remaining the remaining time of a quarantine, if it is known
 * @since 0.1.0
 */
public record NodeStatus(String node, State state, @Nullable Duration remaining) {

	/**
	 * The states of a node.
	 */
	public enum State {

		/**
		 * It grants leases, or has a vote on them.
		 */
		UP,

		/**
		 * It can't be reached.
		 */
		DOWN,

		/**
		 * It may have forgotten its locks, and grants none until every lease is over that
		 * it may have granted.
		 */
		QUARANTINED,

		/**
		 * It is not used until an administrator changes it.
		 */
		REFUSED

	}

}
