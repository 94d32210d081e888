package io.distributedlock.it.cluster;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

import io.distributedlock.LockMode;

/**
 * Checks leases with permits on one key against the rules for their number and tokens.
 */
final class PermitRules {

	// By token, which is the order in which the store has granted or queued them.
	private final List<LeaseTrace> leases;

	/**
	 * Create the check.
	 * @param leases the leases on one key; those in other modes are skipped
	 */
	PermitRules(List<LeaseTrace> leases) {
		this.leases = leases.stream()
			.filter((lease) -> lease.mode().mode() == LockMode.PERMITS && lease.wasValid())
			.sorted(Comparator.comparingLong(LeaseTrace::token))
			.toList();
	}

	/**
	 * Find leases that were granted although all of their permits were in use. A lease
	 * with a smaller token came first at the store. If it was still held when the holder
	 * of the later one had its grant, the store had to count it. Of too many holders, the
	 * one with the greatest token is found.
	 */
	List<String> excesses() {
		List<String> excesses = new ArrayList<>();
		long[] firstGrantFrom = firstGrants();
		List<LeaseTrace> live = new ArrayList<>();
		for (int i = 0; i < this.leases.size(); i++) {
			LeaseTrace next = this.leases.get(i);
			long grantedFrom = firstGrantFrom[i];
			live.removeIf((lease) -> lease.heldUntil() <= grantedFrom);
			List<LeaseTrace> counted = live.stream().filter((lease) -> lease.heldUntil() > next.grantedAt()).toList();
			if (counted.size() >= next.mode().permits()) {
				excesses.add(next + ", beside " + counted);
			}
			live.add(next);
		}
		return excesses;
	}

	/**
	 * Return the first instant at which this lease or one with a greater token was
	 * granted, for each lease.
	 */
	private long[] firstGrants() {
		long[] first = new long[this.leases.size()];
		long earliest = Long.MAX_VALUE;
		for (int i = first.length - 1; i >= 0; i--) {
			earliest = Math.min(earliest, this.leases.get(i).grantedAt());
			first[i] = earliest;
		}
		return first;
	}

	/**
	 * Find leases whose token is not greater than that of each lease that had ended
	 * before they were requested. Valid only if the store chooses the token during the
	 * request: a place in a line can be older than the request that is served at last.
	 */
	List<String> disorders() {
		List<String> disorders = new ArrayList<>();
		List<LeaseTrace> byEnd = this.leases.stream().sorted(Comparator.comparingLong(LeaseTrace::heldUntil)).toList();
		List<LeaseTrace> byRequest = this.leases.stream()
			.sorted(Comparator.comparingLong(LeaseTrace::askedAt))
			.toList();
		int ended = 0;
		LeaseTrace greatest = null;
		for (LeaseTrace next : byRequest) {
			while (byEnd.get(ended).heldUntil() < next.askedAt()) {
				LeaseTrace earlier = byEnd.get(ended++);
				greatest = (greatest != null && greatest.token() > earlier.token()) ? greatest : earlier;
			}
			if (greatest != null && next.token() <= greatest.token()) {
				disorders.add(next + ", requested after the end of " + greatest);
			}
		}
		return disorders;
	}

}
