package io.distributedlock.it.cluster;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The findings of a check of a cluster's leases.
 *
 * @param overlaps leases that were valid at the same time as another one of their key
 * that excludes them
 * @param excesses leases that were granted although all permits were in use
 * @param disorders leases whose token is not greater than all earlier ones of their key,
 * or that of another one
 * @param miscounts counters that differ from the number of bodies
 * @param grants how many leases each JVM had
 * @param longestWait the longest wait that ended with a lease
 * @param lost how many leases were lost before their bodies ended
 * @param unfinished how many bodies failed, or were killed
 */
record ClusterReport(List<String> overlaps, List<String> excesses, List<String> disorders, List<String> miscounts,
		Map<String, Long> grants, Duration longestWait, long lost, long unfinished) {

	List<String> violations() {
		return Stream.of(this.overlaps, this.excesses, this.disorders, this.miscounts).flatMap(List::stream).toList();
	}

	long allGrants() {
		return this.grants.values().stream().mapToLong(Long::longValue).sum();
	}

	@Override
	public String toString() {
		String shares = this.grants.entrySet()
			.stream()
			.map((each) -> "%s %.3f".formatted(each.getKey(), (double) each.getValue() / allGrants()))
			.collect(Collectors.joining(", "));
		return ("%d grants (%s), longest wait %d ms, %d lost, %d unfinished; overlaps %d, beyond the permits %d,"
				+ " tokens out of order %d, wrong counters %d")
			.formatted(allGrants(), shares, this.longestWait.toMillis(), this.lost, this.unfinished,
					this.overlaps.size(), this.excesses.size(), this.disorders.size(), this.miscounts.size());
	}

}
