package io.distributedlock.backend.redlock;

import java.util.Objects;

import org.jspecify.annotations.Nullable;

/**
 * What a client knows of a node at a time.
 *
 * @param phase where it stands
 * @param session the connection, where there is one
 * @param state what the state key says, where the node votes or is in quarantine
 * @param literal the text of the state
 * @param since the monotonic time at which this client saw that state first
 * @param why the reason, for people who look
 */
record NodeSnapshot(Phase phase, @Nullable NodeSession session, @Nullable NodeState state, String literal, long since,
		String why) {

	static NodeSnapshot of(Phase phase, String why) {
		return new NodeSnapshot(phase, null, null, "", 0, why);
	}

	/**
	 * The state of a node was read.
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
	 * Where a node can stand.
	 */
	enum Phase {

		/**
		 * There is no connection; another try comes.
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
