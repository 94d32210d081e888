package io.distributedlock.it.cluster;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.distributedlock.LockMode;

/**
 * Finds faults among the leases of a cluster.
 */
final class ClusterLogChecker {

	private final List<String> overlaps = new ArrayList<>();

	private final List<String> excesses = new ArrayList<>();

	private final List<String> disorders = new ArrayList<>();

	private final List<String> miscounts = new ArrayList<>();

	/**
	 * Check leases against each other and against the counters that their bodies
	 * increased.
	 * @param leases the leases of all JVMs
	 * @param counters the counters by key, in the end
	 */
	static ClusterReport check(List<LeaseTrace> leases, Map<String, Long> counters) {
		ClusterLogChecker checker = new ClusterLogChecker();
		Map<String, List<LeaseTrace>> byKey = groupBy(leases, LeaseTrace::key);
		byKey.values().forEach(checker::checkKey);
		counters.forEach((key, counter) -> checker.checkCount(key, counter, byKey.getOrDefault(key, List.of())));
		return checker.report(leases);
	}

	/**
	 * A lease that had expired before its holder could check it is skipped, because
	 * another holder may have had the lock in the meantime.
	 */
	private void checkKey(List<LeaseTrace> leases) {
		checkModes(leases.stream()
			.filter(LeaseTrace::wasValid)
			.sorted(Comparator.comparingLong(LeaseTrace::grantedAt))
			.toList());
		checkTokensOfGroups(leases);
		this.excesses.addAll(new PermitRules(leases).excesses());
	}

	/**
	 * Leases whose modes exclude each other never overlap, and their tokens grow in the
	 * order of the grants.
	 */
	private void checkModes(List<LeaseTrace> ordered) {
		Map<LockMode, LeaseTrace> longest = new EnumMap<>(LockMode.class);
		Map<LockMode, LeaseTrace> greatest = new EnumMap<>(LockMode.class);
		for (LeaseTrace next : ordered) {
			longest.forEach((mode, earlier) -> {
				if (next.mode().excludes(mode) && next.grantedAt() < earlier.heldUntil()) {
					this.overlaps.add(next + ", while " + earlier);
				}
			});
			greatest.forEach((mode, earlier) -> {
				if (next.mode().excludes(mode) && next.token() <= earlier.token()) {
					this.disorders.add(next + ", after " + earlier);
				}
			});
			LockMode mode = next.mode().mode();
			longest.merge(mode, next, (one, other) -> (other.heldUntil() > one.heldUntil()) ? other : one);
			greatest.merge(mode, next, (one, other) -> (other.token() > one.token()) ? other : one);
		}
	}

	/**
	 * Members of a group are granted side by side, readers also by their own JVM. So
	 * their tokens may come in any order, but each only once.
	 */
	private void checkTokensOfGroups(List<LeaseTrace> leases) {
		Set<Long> tokens = new HashSet<>();
		for (LeaseTrace lease : leases) {
			if (!lease.mode().isExclusive() && !tokens.add(lease.token())) {
				this.disorders.add(lease + ", like another one");
			}
		}
	}

	/**
	 * Only exclusive bodies count. One that was killed or failed may or may not have
	 * counted, and counts after its grant was recorded. So each of them allows a
	 * difference of one, and a killed JVM has no more of them than threads. It can't undo
	 * the counts of others, because a database runs the statements that it has received
	 * far sooner than the lease ends. If a body continued without its lease, neither that
	 * body nor the counter of its key is guaranteed.
	 */
	private void checkCount(String key, long counter, List<LeaseTrace> all) {
		List<LeaseTrace> leases = all.stream().filter((lease) -> lease.mode().isExclusive()).toList();
		if (leases.stream().anyMatch(LeaseTrace::isLost)) {
			return;
		}
		long completed = leases.stream().filter(LeaseTrace::isCompleted).count();
		if (counter < completed || counter > leases.size()) {
			this.miscounts.add("'" + key + "' was counted " + counter + " times by " + completed
					+ " bodies that completed and " + (leases.size() - completed) + " that did not");
		}
	}

	private ClusterReport report(List<LeaseTrace> leases) {
		Map<String, Long> grants = new TreeMap<>();
		groupBy(leases, LeaseTrace::process).forEach((process, its) -> grants.put(process, (long) its.size()));
		long longest = leases.stream().mapToLong(LeaseTrace::waited).max().orElse(0);
		long lost = leases.stream().filter(LeaseTrace::isLost).count();
		long unfinished = leases.stream().filter((lease) -> !lease.isCompleted()).count();
		return new ClusterReport(List.copyOf(this.overlaps), List.copyOf(this.excesses), List.copyOf(this.disorders),
				List.copyOf(this.miscounts), grants, Duration.ofNanos(longest), lost, unfinished);
	}

	private static Map<String, List<LeaseTrace>> groupBy(List<LeaseTrace> leases, Function<LeaseTrace, String> name) {
		return leases.stream().collect(Collectors.groupingBy(name));
	}

}
