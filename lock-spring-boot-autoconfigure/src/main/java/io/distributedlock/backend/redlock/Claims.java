package io.distributedlock.backend.redlock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;

import io.distributedlock.spi.LossListener;
import io.distributedlock.spi.OwnerId;

/**
 * The attempts and leases of this client of which something may be left at the nodes.
 * <p>
 * A node that was asked on a connection that is gone may execute that after everything
 * that it is asked on the next; so it is asked to let the lock go again each second until
 * one ttl has passed, whatever it answers. The nodes of a lease that is held are not
 * touched.
 */
final class Claims {

	private static final Duration INTERVAL = Duration.ofSeconds(1);

	private final Nodes nodes;

	private final Map<OwnerId, Claim> claims = new ConcurrentHashMap<>();

	// Guarded by the monitor.
	private boolean scheduled;

	private boolean closed;

	Claims(Nodes nodes, LossListener losses) {
		this.nodes = nodes;
		nodes.clockWatch().onStoodStill((nanos) -> stoodStill(nanos, losses));
	}

	void add(Claim claim) {
		this.claims.put(claim.ownerId(), claim);
		schedule();
	}

	@Nullable Claim find(OwnerId ownerId) {
		return this.claims.get(ownerId);
	}

	/**
	 * Ask all nodes that may keep a lock to let it go, those too that have not answered.
	 */
	void letGo(Claim claim) {
		this.nodes.links().forEach((link) -> {
			if (!claim.isSettled(link.index())) {
				letGo(claim, link);
			}
		});
		forgetIfSettled(claim);
	}

	/**
	 * Ask a node to let a lock go.
	 */
	void letGo(Claim claim, NodeLink link) {
		NodeSession session = link.standing().session();
		if (session == null) {
			return;
		}
		NodeSession.Release release = claim.release(this.nodes.clock().nanoTime());
		link.ask(session, (open) -> open.release(release)).thenAccept((answer) -> {
			claim.released(link.index(), session, answer.value());
			forgetIfSettled(claim);
		});
	}

	void forgetIfSettled(Claim claim) {
		if (claim.isSettled(this.nodes.clock().nanoTime())) {
			this.claims.remove(claim.ownerId(), claim);
		}
	}

	private void schedule() {
		synchronized (this) {
			if (this.scheduled || this.closed) {
				return;
			}
			this.scheduled = true;
		}
		this.nodes.clock().schedule(INTERVAL, this::sweep);
	}

	private void sweep() {
		synchronized (this) {
			this.scheduled = false;
		}
		long now = this.nodes.clock().nanoTime();
		for (Claim claim : this.claims.values()) {
			for (NodeLink link : this.nodes.links()) {
				NodeSession session = link.standing().session();
				if (claim.isLoose(link.index(), session, now) && session != null) {
					letGo(claim, link);
				}
			}
			forgetIfSettled(claim);
		}
		if (!this.claims.isEmpty()) {
			schedule();
		}
	}

	/**
	 * Lose the leases that are over if our clock stood still for a time.
	 */
	private void stoodStill(long nanos, LossListener losses) {
		long then = this.nodes.clock().nanoTime() + nanos;
		List<Claim> over = new ArrayList<>();
		for (Claim claim : this.claims.values()) {
			if (claim.isHeld(this.nodes.clock().nanoTime()) && !claim.isHeld(then)) {
				over.add(claim);
			}
		}
		over.forEach((claim) -> losses.lost(claim.ownerId()));
	}

	/**
	 * Return how many attempts and leases are remembered.
	 */
	int size() {
		return this.claims.size();
	}

	synchronized void close() {
		this.closed = true;
		this.claims.clear();
	}

}
