package io.distributedlock.backend.redlock;

import org.jspecify.annotations.Nullable;

/**
 * Tracks what one attempt, and the lease that it ended in, may have left at one node.
 * Decisions that depend on the state of the attempt are made under the monitor of its
 * {@link AttemptRecord}.
 */
final class NodeRequestState {

	private @Nullable NodeSession requestedOn;

	private Fate fate = Fate.UNTOUCHED;

	private long lostAt;

	private boolean stood;

	private int unanswered;

	private int beingSent;

	private boolean overtaken;

	/**
	 * Record that the node is about to be asked to keep the lock.
	 */
	synchronized void requested(NodeSession session, long now) {
		if (this.fate == Fate.ASKED && this.requestedOn != session) {
			lose(now);
		}
		else if (this.fate != Fate.LOST) {
			this.fate = Fate.ASKED;
		}
		if (this.requestedOn != session) {
			this.requestedOn = session;
			this.unanswered = 0;
		}
		this.unanswered++;
		this.beingSent++;
	}

	/**
	 * Record that the request was handed to the connection, which keeps the order.
	 */
	synchronized void sent() {
		this.beingSent--;
	}

	/**
	 * Record that the attempt or lease has ended. No request to keep the lock follows,
	 * and a release is next.
	 */
	synchronized void ended() {
		this.overtaken = this.beingSent > 0;
	}

	/**
	 * Return whether that release may be executed before a request that was still being
	 * sent.
	 */
	synchronized boolean isOvertaken() {
		return this.overtaken;
	}

	/**
	 * Record the node's answer.
	 * @param kept whether it keeps the lock now
	 */
	synchronized void answered(NodeSession session, boolean kept) {
		if (this.requestedOn != session) {
			return;
		}
		this.unanswered--;
		if (!kept && this.unanswered == 0 && this.fate == Fate.ASKED) {
			this.fate = Fate.SETTLED;
		}
	}

	/**
	 * Record the node's answer to a release.
	 */
	synchronized void releaseAnswered(NodeSession session, boolean stoodThere) {
		this.stood |= stoodThere;
		if (this.fate == Fate.ASKED && this.requestedOn == session && this.unanswered == 0) {
			// The release was executed after all requests that were sent on that
			// connection.
			this.fate = Fate.SETTLED;
		}
	}

	/**
	 * Return whether the node has ever reported that the lock stood when it was released.
	 */
	synchronized boolean hasStood() {
		return this.stood;
	}

	/**
	 * Check whether the node may still execute a request after a release that it has
	 * answered. That is possible if the connection of the request is gone.
	 * @param current the connection in use
	 * @param now the monotonic time
	 * @param ttlNanos for how long that is possible
	 * @return whether the lock has to be released at the node once more
	 */
	synchronized boolean needsRelease(@Nullable NodeSession current, long now, long ttlNanos) {
		if (this.fate == Fate.ASKED && this.requestedOn != current) {
			lose(now);
		}
		if (this.fate == Fate.LOST && (isOfAnotherIncarnation(current) || now - this.lostAt > ttlNanos)) {
			this.fate = Fate.SETTLED;
		}
		return this.fate == Fate.LOST;
	}

	/**
	 * Return whether the node has another incarnation by now. That one does not execute
	 * earlier requests, since they name the state of the earlier incarnation.
	 */
	private boolean isOfAnotherIncarnation(@Nullable NodeSession current) {
		return current != null && this.requestedOn != null
				&& !current.identity().incarnation().equals(this.requestedOn.identity().incarnation());
	}

	synchronized boolean isLost() {
		return this.fate == Fate.LOST;
	}

	synchronized boolean isSettled() {
		return this.fate == Fate.UNTOUCHED || this.fate == Fate.SETTLED;
	}

	private void lose(long now) {
		this.fate = Fate.LOST;
		this.lostAt = now;
	}

	private enum Fate {

		/**
		 * The node was not asked.
		 */
		UNTOUCHED,

		/**
		 * It was asked on a connection that was still open at the last check.
		 */
		ASKED,

		/**
		 * It was asked on a connection that is gone, and may execute the request late.
		 */
		LOST,

		/**
		 * The node keeps nothing of it, now or later.
		 */
		SETTLED

	}

}
