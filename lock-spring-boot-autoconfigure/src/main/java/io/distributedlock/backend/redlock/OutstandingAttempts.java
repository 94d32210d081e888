package io.distributedlock.backend.redlock;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import io.distributedlock.LockUnavailableException;
import io.distributedlock.spi.BackendListener;
import io.distributedlock.spi.OwnerId;

/**
 * Keeps the attempts and leases of this client that may have left something at nodes.
 * <p>
 * A node may execute a request from a connection that is gone after all requests on the
 * next one. So the lock is released there again each second until one TTL has passed,
 * whatever the node answers. The nodes of a lease that is held are not touched.
 */
final class OutstandingAttempts {

	private static final Duration INTERVAL = Duration.ofSeconds(1);

	private final NodeGroup nodes;

	private final Map<OwnerId, AttemptRecord> attempts = new ConcurrentHashMap<>();

	// Guarded by the monitor.
	private boolean scheduled;

	private boolean closed;

	OutstandingAttempts(NodeGroup nodes, BackendListener listener) {
		this.nodes = nodes;
		nodes.clockJumps().onStoodStill((nanos) -> stoodStill(nanos, listener));
	}

	void add(AttemptRecord record) {
		this.attempts.put(record.ownerId(), record);
		schedule();
	}

	@Nullable AttemptRecord find(OwnerId ownerId) {
		return this.attempts.get(ownerId);
	}

	/**
	 * Return the short hashes of what nodes may still keep of this client's ended
	 * attempts and leases. A node that names one of them names no holder. Locks that cool
	 * down are left out, since they exclude every client.
	 * @param keys the keys of the locks
	 * @param before the monotonic time before which their releases must have been sent
	 */
	Set<String> leftovers(List<String> keys, long before) {
		long now = this.nodes.clock().nanoTime();
		return this.attempts.values()
			.stream()
			.filter((record) -> !Collections.disjoint(record.target().keys(), keys) && record.isLeftover(before, now))
			.map((record) -> NodeVote.hash(record.value()))
			.collect(Collectors.toUnmodifiableSet());
	}

	/**
	 * Ask a node to keep a lock. If it does so after the attempt or lease has ended, the
	 * lock is released there, unless a release follows anyway.
	 * @param keeps returns whether the node keeps the lock, given its answer
	 * @return the answer, once it was handled; fails if the attempt or lease has ended
	 */
	<T> CompletionStage<NodeAnswer<T>> request(AttemptRecord record, NodeLink link, NodeSession session, long now,
			Function<NodeSession, CompletionStage<NodeAnswer<T>>> call, Predicate<T> keeps) {
		if (!record.beginRequest(link.index(), session, now)) {
			return CompletableFuture
				.failedStage(new LockUnavailableException("'" + record.keys() + "' is no longer wanted"));
		}
		CompletionStage<NodeAnswer<T>> asked = link.ask(session, call);
		record.at(link.index()).sent();
		return asked.whenComplete((answer, fault) -> {
			if (answer != null) {
				boolean kept = keeps.test(answer.value());
				record.at(link.index()).answered(session, kept);
				if (kept && record.mayRemainAt(link.index())) {
					var unused = release(record, link);
				}
			}
		});
	}

	/**
	 * Release a lock at all nodes that may keep it, including those that have not
	 * answered.
	 */
	void releaseEverywhere(AttemptRecord record) {
		this.nodes.links().forEach((link) -> {
			if (!record.at(link.index()).isSettled()) {
				var unused = release(record, link);
			}
		});
		record.releasesSent(this.nodes.clock().nanoTime());
		forgetIfSettled(record);
	}

	/**
	 * Release a lock at a node.
	 * @return whether it stood there
	 */
	CompletionStage<NodeAnswer<Boolean>> release(AttemptRecord record, NodeLink link) {
		NodeSession session = link.snapshot().session();
		if (session == null) {
			return CompletableFuture.failedStage(link.unreachable());
		}
		NodeSession.ReleaseRequest release = record.releaseRequest(this.nodes.clock().nanoTime());
		record.beginRelease();
		CompletionStage<NodeAnswer<Boolean>> asked = record.target().isGroup() ? leave(record, link, session, release)
				: link.ask(session, (open) -> open.release(release));
		return asked.whenComplete((answer, fault) -> {
			if (answer != null) {
				record.at(link.index()).releaseAnswered(session, answer.value());
			}
			record.endRelease();
			if (answer != null) {
				forgetIfSettled(record);
			}
		});
	}

	private static CompletionStage<NodeAnswer<Boolean>> leave(AttemptRecord record, NodeLink link, NodeSession session,
			NodeSession.ReleaseRequest release) {
		return link.ask(session, (open) -> open.leave(release)).thenApply((answer) -> {
			if (answer.value() == LeaseStanding.CONTENDED) {
				record.markContended();
			}
			return new NodeAnswer<>(answer.value().counts(), answer.micros());
		});
	}

	private void forgetIfSettled(AttemptRecord record) {
		if (record.isForgettable(this.nodes.clock().nanoTime())) {
			this.attempts.remove(record.ownerId(), record);
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
		for (AttemptRecord record : this.attempts.values()) {
			for (NodeLink link : this.nodes.links()) {
				if (record.needsRelease(link.index(), link.snapshot().session(), now)) {
					var unused = release(record, link);
				}
			}
			forgetIfSettled(record);
		}
		if (!this.attempts.isEmpty()) {
			schedule();
		}
	}

	/**
	 * Report the leases as lost that are over if the clock of this JVM stood still for
	 * the given time.
	 */
	private void stoodStill(long nanos, BackendListener listener) {
		long then = this.nodes.clock().nanoTime() + nanos;
		List<AttemptRecord> over = this.attempts.values()
			.stream()
			.filter((record) -> record.isHeld(this.nodes.clock().nanoTime()) && !record.isHeld(then))
			.toList();
		over.forEach((record) -> listener.leaseLost(record.ownerId()));
	}

	synchronized void close() {
		this.closed = true;
		this.attempts.clear();
	}

}
