package io.distributedlock.integration;

import java.time.Duration;

import org.springframework.integration.leader.Context;

import io.distributedlock.Lease;
import io.distributedlock.LockKeys;
import io.distributedlock.spi.ClockReading;
import io.distributedlock.spi.LockClock;

/**
 * The time for which this application leads a role. It is the context of Spring
 * Integration's events.
 *
 * @since 0.1.0
 */
public final class Leadership implements Context {

	private final String role;

	private final Lease lease;

	private final LockClock clock;

	private final Duration validity;

	private final LeadershipTerm term;

	// Written under the monitor of the term.
	private volatile ClockReading confirmed;

	private volatile boolean over;

	Leadership(String role, Lease lease, LockClock clock, Duration validity, LeadershipTerm term,
			ClockReading confirmed) {
		this.role = role;
		this.lease = lease;
		this.clock = clock;
		this.validity = validity;
		this.term = term;
		this.confirmed = confirmed;
	}

	/**
	 * Return whether this application leads now: its lease is held, and the store has
	 * confirmed it within the heartbeat. Answered locally and exact at the moment of the
	 * call, so it may be called before each step of the leader's work. Once
	 * {@code false}, it stays {@code false}. If the application leads again, a new event
	 * carries a new leadership.
	 * @return whether it leads
	 */
	@Override
	public boolean isLeader() {
		return !this.over && this.confirmed.age(this.clock).compareTo(this.validity) < 0 && this.lease.isHeld();
	}

	/**
	 * Give the leadership up, and pause for one heartbeat so that another candidate can
	 * get it. Returns immediately. Has no effect if this application no longer leads.
	 */
	@Override
	public void yield() {
		this.term.yield(this);
	}

	@Override
	public String getRole() {
		return this.role;
	}

	/**
	 * Return the fencing token of the leader's lease: greater than that of every earlier
	 * leader of the role. A leadership that was interrupted because the store could not
	 * be asked continues with the same token.
	 * @return the token
	 */
	public long fencingToken() {
		return this.lease.fencingToken();
	}

	/**
	 * Extend the leadership from a later confirmation.
	 * @return {@code false} if it came too late
	 */
	boolean confirm(ClockReading sentAt) {
		boolean inTime = isLeader();
		if (inTime) {
			this.confirmed = sentAt;
		}
		return inTime;
	}

	/**
	 * Return the remaining time without another confirmation.
	 */
	Duration left() {
		return this.validity.minus(this.confirmed.age(this.clock));
	}

	void end() {
		this.over = true;
	}

	@Override
	public String toString() {
		return "Leadership[" + LockKeys.printable(this.role) + ", leader=" + isLeader() + "]";
	}

}
