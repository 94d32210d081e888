package io.distributedlock.backend.redlock;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.distributedlock.LockInfo;
import io.distributedlock.backend.call.ManyAnswers;
import io.distributedlock.backend.call.NoAnswerException;
import io.distributedlock.backend.scan.KeyBatch;
import io.distributedlock.backend.scan.KeyScan;

/**
 * Walks the keys of one node after the other, for one page. A lock that a majority has is
 * shown at the first of its nodes. A node that can't be reached is left out, because the
 * others of the majority have the same locks.
 * <p>
 * Used by one step at a time.
 */
final class NodesScan implements KeyScan {

	private final NodeGroup nodes;

	private final RedlockInspection inspection;

	private final NodeFaults faults = new NodeFaults();

	private final Set<NodeLink> missing = new HashSet<>();

	NodesScan(NodeGroup nodes, RedlockInspection inspection) {
		this.nodes = nodes;
		this.inspection = inspection;
	}

	@Override
	public int servers() {
		return this.nodes.links().size();
	}

	@Override
	public CompletionStage<KeyBatch> scan(int server, String cursor, int count) {
		NodeLink link = this.nodes.links().get(server);
		NodeSession session = link.snapshot().session();
		if (session == null) {
			return leaveOut(link);
		}
		CompletableFuture<KeyBatch> scanned = session.scan(cursor, count).toCompletableFuture().copy();
		this.nodes.clock()
			.scheduleUnlessDone(scanned, this.nodes.settings().callTimeout(), () -> scanned.completeExceptionally(
					new NoAnswerException("The node " + link.name() + " has listed no keys in time")));
		return scanned.exceptionallyCompose((fault) -> {
			this.faults.add(link.index(), fault);
			return leaveOut(link);
		});
	}

	private CompletionStage<KeyBatch> leaveOut(NodeLink link) {
		this.missing.add(link);
		return (servers() - this.missing.size() >= this.nodes.quorum())
				? CompletableFuture.completedStage(new KeyBatch(KeyBatch.END, List.of()))
				: CompletableFuture.failedStage(this.nodes.unavailable("while listing locks", this.faults));
	}

	@Override
	public CompletionStage<List<LockInfo>> describe(int server, List<String> keys) {
		return ManyAnswers.join(keys.stream().map((key) -> this.inspection.findFirstAt(server, key)))
			.thenApply((found) -> found.stream().flatMap(List::stream).toList());
	}

}
