package io.distributedlock.backend.redlock;

import java.util.Objects;

import org.jspecify.annotations.Nullable;

/**
 * What a client knows of a node at one time.
 *
 * @param phase the phase of the node
 * @param session the connection, if there is one
 * @param state the content of the state key, if the node votes or is in quarantine
 * @param literal the text of the state
 * @param since the monotonic time at which this client first saw that state
 * @param why the reason, for messages
 */
record NodeSnapshot(Phase phase, @Nullable NodeSession session, @Nullable NodeState state, String literal, long since,
		String why) {

	static NodeSnapshot of(Phase phase, String why) {
		return new NodeSnapshot(phase, null, null, "", 0, why);
	}

	/**
	 * Create a snapshot after the state of the node was read.
	 */
	static NodeSnapshot of(NodeSession session, NodeState state, long since) {
		return (state instanceof NodeState.Voting)
				? new NodeSnapshot(Phase.VOTING, session, state, state.literal(), since, "it votes")
				: new NodeSnapshot(Phase.QUARANTINED, session, state, state.literal(), since,
						"it may have forgotten its locks and is in quarantine");
	}

	/**
	 * Return the connection of a node that votes or is in quarantine.
	 */
	NodeSession openSession() {
		return Objects.requireNonNull(this.session);
	}

	/**
	 * Return the state of a node that votes or is in quarantine.
	 */
	NodeState knownState() {
		return Objects.requireNonNull(this.state);
	}

	/**
	 * The phases of a node.
	 */
	enum Phase {

		/**
		 * There is no connection. Another attempt to connect follows unless the client is
		 * closed.
		 */
		DOWN,

		/**
		 * A connection is being opened.
		 */
		CONNECTING,

		/**
		 * The state is being read.
		 */
		INSPECTING,

		/**
		 * It votes.
		 */
		VOTING,

		/**
		 * It may have forgotten its locks, and does not vote.
		 */
		QUARANTINED,

		/**
		 * It can't be used as it is.
		 */
		REFUSED

	}

}
