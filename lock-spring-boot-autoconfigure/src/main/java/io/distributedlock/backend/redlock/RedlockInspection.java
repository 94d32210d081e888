package io.distributedlock.backend.redlock;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import io.distributedlock.LockInfo;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.backend.call.CallDeadline;
import io.distributedlock.backend.scan.ScannedPage;
import io.distributedlock.spi.CompletionCauses;
import io.distributedlock.spi.LockPage;

/**
 * Finds, lists and forcibly releases locks.
 */
final class RedlockInspection {

	private static final long LONGEST_MICROS = TimeUnit.DAYS.toMicros(3650);

	private final NodeGroup nodes;

	RedlockInspection(NodeGroup nodes) {
		this.nodes = nodes;
	}

	/**
	 * Find the holder on which a majority agrees, of a group the member with the smallest
	 * token.
	 */
	CompletionStage<Optional<LockInfo>> find(String key) {
		return holders(key).thenApply((found) -> infos(key, found).stream().findFirst());
	}

	/**
	 * Find the holders on which a majority agrees, unless a node before the given one has
	 * the lock, too. The result is empty if the key has an unknown form, so that one such
	 * key does not fail the whole page.
	 * @param node the index of the node
	 * @param key the key
	 */
	CompletionStage<List<LockInfo>> findFirstAt(int node, String key) {
		return holders(key)
			.thenApply((found) -> found.stream().anyMatch((one) -> one.node() < node) ? List.<LockInfo>of()
					: infos(key, found))
			.exceptionallyCompose((fault) -> (CompletionCauses.unwrap(fault) instanceof UnknownFormatException)
					? CompletableFuture.completedStage(List.of()) : CompletableFuture.failedStage(fault));
	}

	/**
	 * Ask all nodes for the holders of a key.
	 */
	private CompletionStage<List<Found>> holders(String key) {
		return gather("while finding the lock '" + key + "'",
				(link, session) -> link.ask(session, (asked) -> asked.find(key))
					.thenApply((answer) -> answer.value()
						.stream()
						.map((holder) -> new Found(link.index(), holder, answer.micros()))
						.toList()))
			.thenApply((answers) -> answers.stream().flatMap(List::stream).toList());
	}

	private List<LockInfo> infos(String key, List<Found> found) {
		return found.stream()
			.collect(Collectors.groupingBy((one) -> one.holder().value()))
			.values()
			.stream()
			.filter((same) -> same.size() >= this.nodes.quorum())
			.map((same) -> majorityInfo(key, same))
			.sorted(Comparator.comparingLong(LockInfo::fencingToken))
			.toList();
	}

	private LockInfo majorityInfo(String key, List<Found> same) {
		NodeHolder holder = same.get(0).holder();
		long[] rests = same.stream().mapToLong((one) -> one.holder().restMillis()).toArray();
		long last = same.stream().mapToLong((one) -> one.holder().last()).reduce(0, Math::max);
		long heldMicros = same.stream()
			.mapToLong((one) -> one.micros() - one.holder().first())
			.reduce(Long.MAX_VALUE, Math::min);
		// The holder has a majority for as long as a quorum of nodes keeps the lock.
		long rest = NodeGroup.smallest(rests.length - this.nodes.quorum() + 1, rests);
		return new LockInfo(key, holder.instance(), holder.mode(), last,
				Duration.of(Math.min(LONGEST_MICROS, Math.max(0, heldMicros)), ChronoUnit.MICROS),
				Duration.ofMillis(Math.max(0, rest)));
	}

	CompletionStage<LockPage> list(@Nullable String next, int limit) {
		Optional<LockUnavailableException> misconfiguration = this.nodes.misconfiguration();
		if (misconfiguration.isPresent()) {
			return CompletableFuture.failedStage(misconfiguration.get());
		}
		return ScannedPage.read(new NodesScan(this.nodes, this), next, limit,
				CallDeadline.in(this.nodes.settings().callTimeout(), this.nodes.clock()));
	}

	/**
	 * Take a lock away at all nodes, from all its holders. Each node with a holder begins
	 * the cooldown in the same step, by its own clock. The majorities of the lease that
	 * was taken away and of the next grant share such a node.
	 * @return whether a majority had a holder
	 */
	CompletionStage<Boolean> forceRelease(String key, Duration cooldown) {
		// Rounded up, so that it is never too short.
		long millis = cooldown.plusNanos(999_999).toMillis();
		return gather("while releasing the lock '" + key + "' by force",
				(link, session) -> link.ask(session, (asked) -> asked.forceRelease(key, millis)))
			.thenApply((answers) -> answers.stream().filter(NodeAnswer::value).count() >= this.nodes.quorum());
	}

	/**
	 * Ask all nodes, and wait for their answers until the call timeout is over.
	 * @return the answers; fails if they are fewer than a majority
	 */
	private <A> CompletionStage<List<A>> gather(String why,
			BiFunction<NodeLink, NodeSession, CompletionStage<A>> question) {
		Optional<LockUnavailableException> misconfiguration = this.nodes.misconfiguration();
		if (misconfiguration.isPresent()) {
			return CompletableFuture.failedStage(misconfiguration.get());
		}
		List<CompletableFuture<A>> asked = new ArrayList<>();
		NodeFaults faults = new NodeFaults();
		for (NodeLink link : this.nodes.links()) {
			NodeSession session = link.snapshot().session();
			if (session != null) {
				asked.add(question.apply(link, session)
					.whenComplete((answer, fault) -> faults.add(link.index(), fault))
					.toCompletableFuture());
			}
		}
		CompletableFuture<List<A>> gathered = new CompletableFuture<>();
		Runnable conclude = () -> {
			List<A> answers = asked.stream()
				.filter((answer) -> answer.isDone() && !answer.isCompletedExceptionally())
				.map(CompletableFuture::join)
				.toList();
			if (answers.size() >= this.nodes.quorum()) {
				gathered.complete(answers);
			}
			else {
				gathered.completeExceptionally(this.nodes.unavailable(why, faults));
			}
		};
		this.nodes.clock().scheduleUnlessDone(gathered, this.nodes.settings().callTimeout(), conclude);
		CompletableFuture.allOf(asked.toArray(CompletableFuture[]::new)).whenComplete((done, fault) -> conclude.run());
		return gathered;
	}

	/**
	 * What a node knows of a holder.
	 *
	 * @param node the index of the node
	 * @param holder the holder
	 * @param micros the node's TIME, in microseconds since 1970
	 */
	private record Found(int node, NodeHolder holder, long micros) {
	}

}
