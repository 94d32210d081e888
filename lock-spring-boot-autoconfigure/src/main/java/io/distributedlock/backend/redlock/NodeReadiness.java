package io.distributedlock.backend.redlock;

import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;

import io.distributedlock.backend.redlock.NodeSnapshot.Phase;

/**
 * Lets calls wait until it is known which nodes vote.
 */
final class NodeReadiness {

	private final NodeGroup nodes;

	// Whether the first call has waited for nodes that are slow to connect.
	private volatile boolean begun;

	// The calls that wait, in order.
	private final Queue<CompletableFuture<Void>> waiting = new ConcurrentLinkedQueue<>();

	NodeReadiness(NodeGroup nodes) {
		this.nodes = nodes;
	}

	/**
	 * Wait while connections are being opened, so that a first attempt finds nodes to
	 * ask. The first call waits longer for a slow node, which could be one of the others
	 * under another address.
	 * @param timeout the longest wait
	 * @return completed when it is known which nodes vote, when a majority votes and the
	 * wait for slow nodes is over, or when the timeout is over
	 */
	CompletionStage<Void> await(Duration timeout) {
		if (isKnown()) {
			return CompletableFuture.completedStage(null);
		}
		CompletableFuture<Void> waiter = new CompletableFuture<>();
		this.waiting.add(waiter);
		Duration half = timeout.dividedBy(2);
		boolean first = !this.begun && half.compareTo(this.nodes.settings().nodeTimeout()) > 0;
		this.nodes.clock().scheduleUnlessDone(waiter, first ? half : this.nodes.settings().nodeTimeout(), () -> {
			if (this.nodes.voting().size() >= this.nodes.quorum()) {
				waiter.complete(null);
			}
		});
		this.nodes.clock().scheduleUnlessDone(waiter, timeout, () -> waiter.complete(null));
		waiter.whenComplete((done, fault) -> {
			this.begun = true;
			this.waiting.remove(waiter);
		});
		if (isKnown()) {
			waiter.complete(null);
		}
		return waiter;
	}

	private boolean isKnown() {
		boolean quorum = this.nodes.voting().size() >= this.nodes.quorum();
		for (NodeLink link : this.nodes.links()) {
			Phase phase = link.snapshot().phase();
			if (phase == Phase.CONNECTING || phase == Phase.INSPECTING) {
				// If the others are enough, a node that reconnects is not waited for.
				return quorum && (this.begun || link.wasKnown());
			}
		}
		return true;
	}

	/**
	 * Let waiting calls continue if it is known by now which nodes vote.
	 */
	void check() {
		// Only those that wait already: for a later one it may be unknown again.
		List<CompletableFuture<Void>> all = List.copyOf(this.waiting);
		if (!all.isEmpty() && isKnown()) {
			all.forEach((waiter) -> waiter.complete(null));
		}
	}

}
