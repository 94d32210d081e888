package io.distributedlock.contract;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

import io.distributedlock.LockMode;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.OwnerId;
import io.distributedlock.spi.TokenRange;

/**
 * The critical section of a key that is held exclusively, shared or with permits, and the
 * faults that were found in it. A lease is inside from the answer to its attempt until
 * just before its end is requested, and no longer than it is valid. Leases that a forced
 * release may have ended are not checked.
 * <p>
 * Safe for use by several threads.
 */
final class GroupSection {

	private final String key;

	private final LockClock clock;

	// The monitor of this section guards all fields below.
	private final Map<OwnerId, Visit> inside = new LinkedHashMap<>();

	// First token and range of each lease.
	private final TreeMap<Long, TokenRange> tokens = new TreeMap<>();

	private final Set<String> faults = new LinkedHashSet<>();

	private final Map<LockMode, Integer> granted = new TreeMap<>();

	private long greatest;

	private long greatestExclusive;

	private long greatestEnded;

	private int forcesBegun;

	private int forcesEnded;

	GroupSection(String key, LockClock clock) {
		this.key = key;
		this.clock = clock;
	}

	String key() {
		return this.key;
	}

	/**
	 * Note that an attempt begins.
	 */
	synchronized Attempt attempt() {
		return new Attempt(this.forcesBegun, this.forcesBegun == this.forcesEnded, this.greatestEnded);
	}

	/**
	 * Enter with a grant.
	 * @param attempt the attempt, or the first one of its contender
	 * @param grant the grant
	 * @param permits the permits of its request
	 */
	synchronized void enter(Attempt attempt, LeaseGrant grant, int permits) {
		long now = this.clock.nanoTime();
		TokenRange range = grant.token();
		LockMode mode = grant.target().mode();
		this.granted.merge(mode, 1, Integer::sum);
		checkUnique(range);
		expect(range.first() > attempt.ended(), "T1: a token that is not greater than those of ended leases");
		if (attempt.calm() && attempt.forces() == this.forcesBegun && grant.nanosLeft(now) > 0) {
			this.inside.values().removeIf((visit) -> visit.validUntil - now <= 0);
			checkExclusion(mode);
			expect(range.first() > ((mode == LockMode.EXCLUSIVE) ? this.greatest : this.greatestExclusive),
					"T2: a token that is out of order around an exclusive lease");
			this.inside.put(grant.ownerId(), new Visit(mode, permits, grant.validUntil()));
			checkCount();
			if (mode == LockMode.EXCLUSIVE) {
				this.greatestExclusive = Math.max(this.greatestExclusive, range.last());
			}
			this.greatest = Math.max(this.greatest, range.last());
		}
	}

	private void checkUnique(TokenRange range) {
		Map.Entry<Long, TokenRange> before = this.tokens.floorEntry(range.last());
		expect(before == null || before.getValue().last() < range.first(), "tokens that were granted twice");
		this.tokens.put(range.first(), range);
	}

	private void checkExclusion(LockMode mode) {
		for (Visit other : this.inside.values()) {
			expect(mode != LockMode.EXCLUSIVE && other.mode == mode, mode + " granted beside " + other.mode);
		}
	}

	/**
	 * In the order of their grants, the second holder of a permit allows two, the third
	 * one three, and so on. So there is such an order.
	 */
	private void checkCount() {
		List<Integer> permits = this.inside.values()
			.stream()
			.filter((visit) -> visit.mode == LockMode.PERMITS)
			.map((visit) -> visit.permits)
			.sorted()
			.toList();
		for (int i = 0; i < permits.size(); i++) {
			expect(permits.get(i) > i, "more holders than permits: " + permits);
		}
	}

	/**
	 * Note that a lease was renewed.
	 */
	synchronized void renewed(LeaseGrant grant, long validUntil) {
		Visit visit = this.inside.get(grant.ownerId());
		if (visit != null && validUntil - visit.validUntil > 0) {
			visit.validUntil = validUntil;
		}
	}

	/**
	 * Return whether a lease is inside and valid, so that the store has to know it.
	 */
	synchronized boolean isInside(LeaseGrant grant) {
		Visit visit = this.inside.get(grant.ownerId());
		return visit != null && visit.validUntil - this.clock.nanoTime() > 0;
	}

	/**
	 * Leave before the end of the lease is requested.
	 * @return whether the lease was inside and no forced release is under way, so that
	 * the store has to know it until its validity ends
	 */
	synchronized boolean leave(LeaseGrant grant) {
		boolean known = isInside(grant);
		this.inside.remove(grant.ownerId());
		return known && this.forcesBegun == this.forcesEnded;
	}

	/**
	 * Note that a lease has ended at the store.
	 */
	synchronized void ended(LeaseGrant grant) {
		this.greatestEnded = Math.max(this.greatestEnded, grant.token().last());
	}

	synchronized void forceBegins() {
		this.forcesBegun++;
		this.inside.clear();
	}

	synchronized void forceEnds() {
		this.forcesEnded++;
	}

	synchronized int forces() {
		return this.forcesBegun;
	}

	synchronized void expect(boolean condition, String otherwise) {
		if (!condition) {
			this.faults.add(otherwise);
		}
	}

	synchronized boolean isGranted(Set<LockMode> modes) {
		return this.granted.keySet().containsAll(modes);
	}

	synchronized List<String> faults() {
		return new ArrayList<>(this.faults);
	}

	/**
	 * An attempt that begins.
	 *
	 * @param forces how many forced releases had begun
	 * @param calm whether all of them had ended
	 * @param ended the greatest token of the leases that had ended
	 */
	record Attempt(int forces, boolean calm, long ended) {
	}

	/**
	 * A lease that is inside.
	 */
	private static final class Visit {

		private final LockMode mode;

		private final int permits;

		private long validUntil;

		Visit(LockMode mode, int permits, long validUntil) {
			this.mode = mode;
			this.permits = permits;
			this.validUntil = validUntil;
		}

	}

}
