package io.distributedlock.backend.redlock;

import org.jspecify.annotations.Nullable;

/**
 * What one attempt, and the lease it ended in, may have left at one node. What depends on
 * the state of the attempt is decided under the monitor of its {@link AttemptRecord}.
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
	 * The node is about to be asked to keep the lock.
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
	 * The request is with the connection, which keeps the order.
	 */
	synchronized void sent() {
		this.beingSent--;
	}

	/**
	 * The node will not be asked any more to keep the lock, and next to let it go.
	 */
	synchronized void ended() {
		this.overtaken = this.beingSent > 0;
	}

	/**
	 * Return whether that release may be executed before what is still sent now.
	 */
	synchronized boolean isOvertaken() {
		return this.overtaken;
	}

	/**
	 * The node has answered.
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
	 * The node has answered a release.
	 */
	synchronized void releaseAnswered(NodeSession session, boolean stoodThere) {
		this.stood |= stoodThere;
		if (this.fate == Fate.ASKED && this.requestedOn == session && this.unanswered == 0) {
			// It was executed after everything that was sent on that connection.
			this.fate = Fate.SETTLED;
		}
	}

	/**
	 * Return whether the node has said at any time that the lock stood when it was
	 * released.
	 */
	synchronized boolean hasStood() {
		return this.stood;
	}

	/**
	 * Look whether something may still be executed after a release that was answered: if
	 * the connection on which the node was asked is gone.
	 * @param current the connection in use
	 * @param now the monotonic time
	 * @param ttlNanos for how long that may go on
	 * @return whether the node is to be asked once more to let the lock go
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
	 * What was sent to an incarnation of the node is not executed by the next: it names
	 * its state.
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
		 * It was asked on a connection that was there still when last looked at.
		 */
		ASKED,

		/**
		 * It was asked on a connection that is gone, and may execute that late.
		 */
		LOST,

		/**
		 * Nothing of it is left there, nor will be.
		 */
		SETTLED

	}

}
