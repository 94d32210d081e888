package io.distributedlock.backend.jdbc;

/**
 * Whether a contender for an exclusive lock has closed a group to new members. Its mark
 * does that, and ends by itself. A withdrawal opens the group earlier. That also holds
 * for an attempt that is under way at the time of the withdrawal.
 */
final class ClosedDoor {

	// Both fields are guarded by the monitor of this object.
	private boolean closed;

	private boolean withdrawn;

	/**
	 * Prepare for a new attempt.
	 */
	synchronized void begin() {
		this.withdrawn = false;
	}

	/**
	 * Record the outcome of an attempt.
	 * @param closed whether its mark has closed a group
	 * @return whether the caller has to open it, because the contender has withdrawn
	 */
	synchronized boolean record(boolean closed) {
		this.closed = closed;
		return closed && this.withdrawn;
	}

	/**
	 * Record that the contender withdraws.
	 * @return whether the caller has to open a group
	 */
	synchronized boolean withdraw() {
		boolean open = this.closed && !this.withdrawn;
		this.withdrawn = true;
		return open;
	}

}
