package io.distributedlock.backend.redlock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import io.distributedlock.LockRefusedException;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.backend.redlock.RedlockNodeEvent.Change;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.QuarantineException;

/**
 * Holds all nodes, as this client sees them.
 */
final class NodeGroup {

	private final RedlockSettings settings;

	private final LockClock clock;

	private final RandomSource random;

	private final RedlockListener listener;

	private final List<NodeLink> links = new ArrayList<>();

	private final ClockJumpDetector clockJumps;

	private final KnownServers servers = new KnownServers();

	private final ObservedCounters counters;

	// Whether a lock was granted since startup.
	private volatile boolean granted;

	private final NodeReadiness readiness = new NodeReadiness(this);

	NodeGroup(List<? extends RedlockNode> nodes, RedlockSettings settings, LockClock clock, RandomSource random,
			RedlockListener listener) {
		this.settings = settings;
		this.clock = clock;
		this.random = random;
		this.listener = listener;
		nodes.forEach((node) -> this.links.add(new NodeLink(node, this.links.size(), this)));
		this.counters = new ObservedCounters(size());
		this.clockJumps = new ClockJumpDetector(this);
	}

	RedlockSettings settings() {
		return this.settings;
	}

	LockClock clock() {
		return this.clock;
	}

	RandomSource random() {
		return this.random;
	}

	RedlockListener listener() {
		return this.listener;
	}

	List<NodeLink> links() {
		return this.links;
	}

	int size() {
		return this.links.size();
	}

	int quorum() {
		return this.settings.quorum();
	}

	ObservedCounters counters() {
		return this.counters;
	}

	ClockJumpDetector clockJumps() {
		return this.clockJumps;
	}

	KnownServers servers() {
		return this.servers;
	}

	/**
	 * Record that a majority has granted a lock.
	 */
	void markGranted() {
		this.granted = true;
	}

	/**
	 * Return why no lock may be granted with these nodes: two of them are one server, and
	 * no lock was granted before this was known. If it is found out later, the two have
	 * one vote.
	 */
	Optional<LockUnavailableException> misconfiguration() {
		if (this.granted) {
			return Optional.empty();
		}
		return this.links.stream()
			.flatMap((link) -> link.sameServer().map((other) -> sameServer(other, link)).stream())
			.findFirst();
	}

	private static LockUnavailableException sameServer(NodeLink one, NodeLink other) {
		return new LockRefusedException("The nodes " + one.name() + " and " + other.name() + " of the locks are one"
				+ " server, which has one vote: list each server once in lock.redlock.nodes", null);
	}

	void open() {
		this.links.forEach(NodeLink::open);
	}

	void close() {
		this.links.forEach(NodeLink::close);
		this.readiness.check();
	}

	/**
	 * Return the nodes that may be asked for their votes.
	 */
	List<NodeLink> voting() {
		List<NodeLink> voting = new ArrayList<>(this.links.size());
		for (NodeLink link : this.links) {
			if (link.isVoting()) {
				voting.add(link);
			}
		}
		return voting;
	}

	/**
	 * Return how many nodes are in quarantine.
	 */
	long quarantined() {
		return this.links.stream().filter((link) -> link.snapshot().phase() == NodeSnapshot.Phase.QUARANTINED).count();
	}

	/**
	 * Return the nodes' time in microseconds since 1970: the median of the voting nodes'
	 * clocks, advanced by the monotonic clock. Empty if no such clock is known.
	 */
	Optional<Long> time() {
		// A loop, since each attempt asks.
		long[] offsets = new long[size()];
		int known = 0;
		for (NodeLink link : this.links) {
			Optional<Long> offset = link.clock().offset();
			if (offset.isPresent() && link.snapshot().phase() == NodeSnapshot.Phase.VOTING) {
				offsets[known++] = offset.get();
			}
		}
		if (known == 0) {
			return Optional.empty();
		}
		Arrays.sort(offsets, 0, known);
		return Optional.of((offsets[(known - 1) / 2] + this.clock.nanoTime()) / 1000);
	}

	/**
	 * Wait until it is known which nodes vote.
	 * @param timeout the longest wait
	 * @return completed when that is known or the timeout is over
	 */
	CompletionStage<Void> ready(Duration timeout) {
		return this.readiness.await(timeout);
	}

	/**
	 * Handle a change of a node.
	 * @param news whether to report its phase
	 */
	void changed(NodeLink link, NodeSnapshot snapshot, boolean news) {
		if (news) {
			switch (snapshot.phase()) {
				case VOTING -> report(link, Change.VOTING, "");
				case QUARANTINED -> report(link, Change.QUARANTINED, this.settings.quarantine());
				case REFUSED -> report(link, Change.REFUSED, snapshot.why());
				case DOWN -> report(link, Change.DOWN, snapshot.why());
				case CONNECTING, INSPECTING -> {
				}
			}
		}
		this.readiness.check();
	}

	/**
	 * Report what was found out about a node.
	 * @param subject the reason, the duration or the size, depending on the change
	 */
	void report(NodeLink link, Change change, @Nullable Object subject) {
		this.listener.changed(link.name(), change, String.valueOf(subject));
	}

	/**
	 * Create the exception for an operation that failed at a majority. It says why, and
	 * until when if that is known.
	 */
	LockUnavailableException unavailable(String why) {
		return unavailable(why, new NodeFaults());
	}

	/**
	 * Create the exception for an operation that failed at a majority. It says why, and
	 * until when if that is known.
	 * @param why the operation or the reason, for the message
	 * @param faults the faults of nodes
	 * @return a {@link LockRefusedException} if too many nodes refuse it until they are
	 * changed, an {@link UnknownFormatException} if too many store an unknown form, or a
	 * {@link QuarantineException} if enough of them vote again after their quarantine
	 */
	LockUnavailableException unavailable(String why, NodeFaults faults) {
		Map<Integer, NodeRefusedException> refusals = faults.refusals();
		this.links
			.forEach((link) -> link.refusal().ifPresent((refusal) -> refusals.putIfAbsent(link.index(), refusal)));
		if (refusals.size() > size() - quorum()) {
			return new LockRefusedException(
					"A majority of the nodes of the locks can't be used (" + why + "). " + describe(refusals),
					refusals.values().iterator().next());
		}
		Map<Integer, UnknownFormatException> unknown = faults.unknown();
		if (unknown.size() > size() - quorum()) {
			return new UnknownFormatException(why, describe(unknown));
		}
		long[] left = this.links.stream()
			.filter((link) -> link.snapshot().phase() == NodeSnapshot.Phase.QUARANTINED)
			.mapToLong((link) -> link.quarantineLeft(link.snapshot()).toMillis())
			.sorted()
			.toArray();
		int missing = quorum() - voting().size();
		Duration until = (missing > 0 && missing <= left.length) ? Duration.ofMillis(left[missing - 1]) : null;
		String each = this.links.stream()
			.filter((link) -> !link.isVoting())
			.map((link) -> link.name() + ": " + link.snapshot().why())
			.collect(Collectors.joining(", "));
		String message = "Fewer than " + quorum() + " of the " + size() + " nodes of the locks have voted (" + why + ")"
				+ ((until != null) ? "; enough of them vote again in " + until + " at the earliest" : "")
				+ (each.isEmpty() ? "" : ". " + each);
		return (until != null) ? new QuarantineException(message, until) : new LockUnavailableException(message);
	}

	private String describe(Map<Integer, ? extends Throwable> faults) {
		return faults.entrySet()
			.stream()
			.map((entry) -> this.links.get(entry.getKey()).name() + ": " + entry.getValue().getMessage())
			.collect(Collectors.joining("; "));
	}

	/**
	 * Return the k-th smallest of some numbers, counted from one.
	 */
	static long smallest(int k, long[] numbers) {
		long[] sorted = numbers.clone();
		Arrays.sort(sorted);
		return sorted[k - 1];
	}

}
