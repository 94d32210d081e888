package io.distributedlock.backend.redlock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import io.distributedlock.spi.BackendListener;
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

	Claims(Nodes nodes, BackendListener losses) {
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
	 * Return the short hashes of what nodes may still keep of this client's ended
	 * attempts and leases: a node that names one of them names no holder. What cools down
	 * is left out, since it keeps every client out.
	 * @param key the key of the lock
	 * @param before the monotonic time before which their releases must have been sent
	 */
	Set<String> leftovers(String key, long before) {
		long now = this.nodes.clock().nanoTime();
		return this.claims.values()
			.stream()
			.filter((claim) -> claim.key().equals(key) && claim.isLeftover(before, now))
			.map((claim) -> Vote.hash(claim.value()))
			.collect(Collectors.toUnmodifiableSet());
	}

	/**
	 * Ask a node to keep a lock. If it does when nobody wants that any more it is asked
	 * to let it go, unless it is being asked anyway.
	 * @param call asks
	 * @param keeps whether an answer says that the node keeps the lock
	 * @return the answer, or {@code null} if it is too late to ask
	 */
	<T> @Nullable CompletionStage<NodeAnswer<T>> ask(Claim claim, NodeLink link, NodeSession session, long now,
			Function<NodeSession, CompletionStage<NodeAnswer<T>>> call, Predicate<T> keeps) {
		if (!claim.asks(link.index(), session, now)) {
			return null;
		}
		CompletionStage<NodeAnswer<T>> asked = link.ask(session, call);
		claim.sent(link.index());
		return asked.whenComplete((answer, fault) -> {
			if (answer != null) {
				boolean kept = keeps.test(answer.value());
				claim.answered(link.index(), session, kept);
				if (kept && claim.isLeftAt(link.index())) {
					letGo(claim, link);
				}
			}
		});
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
		claim.givenBack(this.nodes.clock().nanoTime());
		forgetIfSettled(claim);
	}

	private void letGo(Claim claim, NodeLink link) {
		NodeSession session = link.standing().session();
		if (session != null) {
			var unused = letGo(claim, link, session, claim.release(this.nodes.clock().nanoTime()));
		}
	}

	/**
	 * Ask a node to let a lock go.
	 * @return whether it stood there
	 */
	CompletionStage<NodeAnswer<Boolean>> letGo(Claim claim, NodeLink link, NodeSession session,
			NodeSession.Release release) {
		claim.asksToRelease();
		return link.ask(session, (open) -> open.release(release)).whenComplete((answer, fault) -> {
			if (answer != null) {
				claim.released(link.index(), session, answer.value());
			}
			claim.askedToRelease();
			if (answer != null) {
				forgetIfSettled(claim);
			}
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
	private void stoodStill(long nanos, BackendListener losses) {
		long then = this.nodes.clock().nanoTime() + nanos;
		List<Claim> over = new ArrayList<>();
		for (Claim claim : this.claims.values()) {
			if (claim.isHeld(this.nodes.clock().nanoTime()) && !claim.isHeld(then)) {
				over.add(claim);
			}
		}
		over.forEach((claim) -> losses.leaseLost(claim.ownerId()));
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
