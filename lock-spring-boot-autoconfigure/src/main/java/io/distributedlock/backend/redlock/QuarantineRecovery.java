package io.distributedlock.backend.redlock;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

import io.distributedlock.backend.redlock.RedlockNodeEvent.Change;

/**
 * Ends a quarantine when its time is over. The node may vote again, but only for tokens
 * above all that it may have forgotten.
 * <p>
 * For everything that a majority including this node acknowledged, at least one of any Q
 * others has acknowledged it too. So the greatest marks of Q others that vote themselves
 * are enough. If so many nodes are in quarantine that there are no Q others, the marks
 * that can be read and the clocks have to do.
 */
final class QuarantineRecovery {

	/**
	 * By how much tokens can be ahead of the nodes' time.
	 */
	private static final long AHEAD_MICROS = TimeUnit.SECONDS.toMicros(1) + 1024;

	private final NodeGroup nodes;

	private final NodeLink link;

	private final NodeSnapshot quarantine;

	private final List<NodeLink> others;

	private final boolean estimated;

	// All below is guarded by the monitor.
	private NodeHighWaterMark found = NodeHighWaterMark.NONE;

	private long latestMicros;

	private int known;

	private int open;

	private boolean ownKnown;

	private boolean outdated;

	private boolean ended;

	/**
	 * Create an attempt to end a quarantine.
	 * @param link the node
	 * @param quarantine its snapshot, with the quarantine that is over
	 */
	QuarantineRecovery(NodeGroup nodes, NodeLink link, NodeSnapshot quarantine) {
		this.nodes = nodes;
		this.link = link;
		this.quarantine = quarantine;
		List<NodeLink> voting = others(NodeLink::isVoting);
		this.estimated = voting.size() < nodes.quorum();
		this.others = this.estimated ? others((other) -> other.snapshot().state() != null) : voting;
		this.open = this.others.size() + 1;
	}

	private List<NodeLink> others(Predicate<NodeLink> condition) {
		return this.nodes.links().stream().filter((other) -> other != this.link).filter(condition).toList();
	}

	/**
	 * End the quarantine if the floor can be determined. Otherwise the next inspection of
	 * the node tries again.
	 */
	void start() {
		if (this.estimated && this.nodes.quarantined() <= this.nodes.size() - this.nodes.quorum()) {
			return;
		}
		this.nodes.clock().schedule(this.nodes.settings().callTimeout(), this::timeOut);
		ask(this.link, this.quarantine);
		this.others.forEach((other) -> ask(other, other.snapshot()));
	}

	private void ask(NodeLink asked, NodeSnapshot snapshot) {
		NodeSession session = snapshot.session();
		NodeState state = snapshot.state();
		if (session == null || state == null) {
			answered(asked, null);
			return;
		}
		asked.ask(session, (open) -> open.highWaterMark(state.literal())).whenComplete((answer, fault) -> {
			asked.inspection().markNotRead(session, fault);
			answered(asked, answer);
		});
	}

	private void answered(NodeLink asked, @Nullable NodeAnswer<Optional<NodeHighWaterMark>> answer) {
		boolean complete;
		synchronized (this) {
			if (this.ended) {
				return;
			}
			this.open--;
			if (answer != null && answer.value().isPresent()) {
				this.found = this.found.max(answer.value().get());
				this.latestMicros = Math.max(this.latestMicros, answer.micros());
				if (asked == this.link) {
					this.ownKnown = true;
				}
				else {
					this.known++;
				}
			}
			else if (answer != null) {
				// Its state has changed, and its next inspection decides what to do.
				this.outdated = true;
			}
			complete = this.open == 0 || !this.estimated && isEnough();
			this.ended = complete;
		}
		if (answer != null && answer.value().isEmpty()) {
			asked.inspect();
		}
		if (complete) {
			conclude();
		}
	}

	private boolean isEnough() {
		return this.ownKnown && this.known >= this.nodes.quorum();
	}

	private void timeOut() {
		synchronized (this) {
			if (this.ended) {
				return;
			}
			this.ended = true;
		}
		conclude();
	}

	private void conclude() {
		NodeHighWaterMark floor;
		synchronized (this) {
			if (!this.ownKnown || (this.estimated ? this.outdated : !isEnough())) {
				return;
			}
			floor = this.estimated ? estimate() : this.found;
		}
		this.link.inspection().endQuarantine(this.quarantine, floor, () -> {
			if (this.estimated) {
				this.nodes.report(this.link, Change.FLOOR_ESTIMATED, "");
			}
		});
	}

	private NodeHighWaterMark estimate() {
		long margin = TimeUnit.MILLISECONDS.toMicros(this.nodes.settings().margin().toMillis());
		long micros = this.latestMicros + margin;
		return this.found.max(new NodeHighWaterMark(micros + AHEAD_MICROS, micros / 1000));
	}

}
