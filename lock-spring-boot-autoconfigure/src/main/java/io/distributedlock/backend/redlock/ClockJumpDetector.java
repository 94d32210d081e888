package io.distributedlock.backend.redlock;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongConsumer;

import io.distributedlock.backend.redlock.NodeClock.Jump;
import io.distributedlock.backend.redlock.RedlockNodeEvent.Change;

/**
 * Finds out whose clock has jumped. If the clocks of a majority jumped alike, the clock
 * of this JVM stood still, and no node is touched. Otherwise each node with a jump is
 * kept from voting.
 */
final class ClockJumpDetector {

	private final NodeGroup nodes;

	private volatile LongConsumer stoodStill = (nanos) -> {
	};

	// Guarded by the monitor: the jumps of the inquiry under way, by the node's index.
	private final Map<Integer, Jump> jumps = new TreeMap<>();

	private boolean inquiring;

	ClockJumpDetector(NodeGroup nodes) {
		this.nodes = nodes;
	}

	/**
	 * Set the listener that receives for how many nanoseconds, at most, the clock of this
	 * JVM stood still.
	 */
	void onStoodStill(LongConsumer listener) {
		this.stoodStill = listener;
	}

	/**
	 * Record a jump, and ask the other nodes for their time.
	 */
	void jumped(NodeLink link, Jump jump) {
		synchronized (this) {
			this.jumps.put(link.index(), jump);
			if (this.inquiring) {
				return;
			}
			this.inquiring = true;
		}
		CompletableFuture<?>[] answers = this.nodes.links()
			.stream()
			.filter((other) -> other != link)
			.map(this::ask)
			.toArray(CompletableFuture[]::new);
		CompletableFuture.allOf(answers).thenRun(this::judge);
	}

	/**
	 * Ask a node for its time.
	 * @return completed when the node has answered, the call has failed or the node
	 * timeout is over
	 */
	private CompletableFuture<Void> ask(NodeLink other) {
		NodeSession session = other.snapshot().session();
		if (session == null) {
			return CompletableFuture.completedFuture(null);
		}
		CompletableFuture<Void> answered = new CompletableFuture<>();
		this.nodes.clock()
			.scheduleUnlessDone(answered, this.nodes.settings().nodeTimeout(), () -> answered.complete(null));
		other.ask(session, NodeSession::state).whenComplete((answer, fault) -> answered.complete(null));
		return answered;
	}

	private void judge() {
		Map<Integer, Jump> all;
		synchronized (this) {
			all = new TreeMap<>(this.jumps);
			this.jumps.clear();
			this.inquiring = false;
		}
		for (Jump jump : all.values()) {
			long alike = all.values().stream().filter(jump::isLike).count();
			if (alike >= this.nodes.quorum()) {
				ourOwn(all.keySet(), jump);
				return;
			}
		}
		all.forEach((index, jump) -> {
			NodeLink link = this.nodes.links().get(index);
			this.nodes.report(link, Change.CLOCK_JUMPED, jump.size());
			link.inspection().quarantine();
		});
	}

	private void ourOwn(Set<Integer> jumped, Jump jump) {
		this.nodes.listener().stoodStill(jump.size());
		for (NodeLink link : this.nodes.links()) {
			if (!jumped.contains(link.index())) {
				// Earlier readings are relative to our clock, which stood still.
				link.clock().forget();
			}
			link.trust();
		}
		if (jump.most() > 0) {
			this.stoodStill.accept(jump.most());
		}
	}

}
