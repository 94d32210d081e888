package io.distributedlock.backend.redlock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.springframework.util.function.SingletonSupplier;

import io.distributedlock.spi.BackendListener;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.Renewal;
import io.distributedlock.spi.RenewalOutcome;

/**
 * Renews a batch of leases at a majority. A node counts for a lease on several keys if it
 * has all of its locks. A node that has lost a lock of a lease is given it back by a
 * second message, only after a majority has confirmed the lease and while it is held. The
 * answer to that is never counted. Otherwise a lock that was set anew could complete a
 * majority for an interrupted lease.
 * <p>
 * The leases of a batch are either all exclusive or all members of groups, which nodes
 * renew by different scripts.
 */
final class RenewalRound {

	private final NodeGroup nodes;

	private final OutstandingAttempts outstanding;

	private final BackendListener listener;

	private final boolean members;

	private final List<LeaseRenewal> all;

	private final CompletableFuture<List<RenewalOutcome>> result = new CompletableFuture<>();

	private final long sentAt;

	private final NodeFaults faults = new NodeFaults();

	// The servers that were counted: one that is listed under two addresses has one
	// answer.
	private final Set<String> counted = ConcurrentHashMap.newKeySet();

	private final AtomicInteger open;

	/**
	 * Create a round.
	 * @param listener is notified of waiters that keep new members out of a group
	 * @param members whether the leases are members of groups
	 */
	RenewalRound(NodeGroup nodes, OutstandingAttempts outstanding, BackendListener listener, boolean members,
			List<Renewal> renewals) {
		this.nodes = nodes;
		this.outstanding = outstanding;
		this.listener = listener;
		this.members = members;
		this.all = renewals.stream().map(LeaseRenewal::new).toList();
		this.sentAt = nodes.clock().nanoTime();
		this.open = new AtomicInteger(nodes.size());
	}

	CompletionStage<List<RenewalOutcome>> start() {
		if (this.all.isEmpty()) {
			return CompletableFuture.completedStage(List.of());
		}
		this.nodes.clock().scheduleUnlessDone(this.result, this.nodes.settings().callTimeout(), this::end);
		List<NodeSession.HeldLock> locks = new ArrayList<>(this.all.size());
		List<NodeMembers.HeldMember> held = new ArrayList<>();
		for (LeaseRenewal renewing : this.all) {
			for (NodeSession.HeldLock lock : renewing.locks) {
				locks.add(lock);
				if (this.members) {
					held.add(renewing.member(lock));
				}
			}
		}
		Question renewal = (session, state) -> this.members ? session.renewMembers(state, held)
				: session.renew(state, locks);
		this.nodes.links().forEach((link) -> ask(link, renewal));
		return this.result;
	}

	private void ask(NodeLink link, Question renewal) {
		NodeSnapshot snapshot = link.snapshot();
		NodeSession session = snapshot.session();
		NodeState state = snapshot.state();
		if (session == null || state == null || !link.isVoting()) {
			closed();
			return;
		}
		int jumps = link.jumps();
		link.ask(session, (open) -> renewal.ask(open, snapshot.literal())).whenComplete((answer, fault) -> {
			this.faults.add(link.index(), fault);
			if (answer != null && link.isTrusted(jumps) && this.counted.add(state.runId())) {
				answer.value()
					.ifPresentOrElse((said) -> answered(link, session, snapshot.literal(), said), link::inspect);
			}
			closed();
		});
	}

	private void answered(NodeLink link, NodeSession session, String state, List<LeaseStanding> standings) {
		List<Runnable> reinstalls = new ArrayList<>();
		int next = 0;
		for (LeaseRenewal renewing : this.all) {
			List<LeaseStanding> own = standings.subList(next, next + renewing.locks.size());
			next += own.size();
			LeaseStanding standing = LeaseStanding.ofAll(own);
			if (standing == LeaseStanding.UNKNOWN) {
				String what = this.members ? "the token of a member of '" : "the counter of '";
				String key = renewing.locks.get(own.indexOf(standing)).key();
				this.faults.add(link.index(), new UnknownFormatException(what + key + "'"));
			}
			else {
				if (standing == LeaseStanding.CONTENDED) {
					// Its release wakes the waiter.
					this.listener.contended(renewing.grant, Duration.ZERO);
				}
				reinstalls.addAll(renewing.count(standing, () -> reinstall(renewing, own, link, session, state)));
			}
		}
		reinstalls.forEach(Runnable::run);
	}

	private void closed() {
		if (this.open.decrementAndGet() == 0
				|| this.all.stream().allMatch((renewing) -> renewing.outcome().isPresent())) {
			end();
		}
	}

	private void end() {
		// One for all, since the batch may be large.
		Supplier<RenewalOutcome> unknown = SingletonSupplier.of(this::unknown);
		this.result.complete(this.all.stream().map((renewing) -> renewing.outcome().orElseGet(unknown)).toList());
	}

	private RenewalOutcome unknown() {
		return new RenewalOutcome.Unknown(this.nodes.unavailable("while renewing a lease", this.faults));
	}

	private void reinstall(LeaseRenewal renewing, List<LeaseStanding> standings, NodeLink link, NodeSession session,
			String state) {
		for (int i = 0; i < standings.size(); i++) {
			if (standings.get(i) == LeaseStanding.GONE) {
				reinstall(renewing, renewing.locks.get(i), link, session, state);
			}
		}
	}

	private void reinstall(LeaseRenewal renewing, NodeSession.HeldLock lock, NodeLink link, NodeSession session,
			String state) {
		AttemptRecord record = renewing.record;
		long now = this.nodes.clock().nanoTime();
		if (record != null && lock.ttlMillis() > 0 && record.isHeld(now)) {
			var unused = this.outstanding.request(record, link, session, now,
					(open) -> this.members ? open.reinstallMember(state, renewing.member(lock),
							this.nodes.settings().quarantine().toMillis()) : open.reinstall(state, lock),
					(kept) -> kept);
		}
	}

	/**
	 * Asks a node to renew the leases.
	 */
	@FunctionalInterface
	private interface Question {

		CompletionStage<NodeAnswer<Optional<List<LeaseStanding>>>> ask(NodeSession session, String state);

	}

	/**
	 * The renewal of one lease.
	 */
	private final class LeaseRenewal {

		private final LeaseGrant grant;

		private final Duration ttl;

		private final List<NodeSession.HeldLock> locks;

		private final @Nullable AttemptRecord record;

		// All below is guarded by the monitor.
		private final List<Runnable> missing = new ArrayList<>();

		private int mine;

		private int gone;

		private @Nullable RenewalOutcome outcome;

		LeaseRenewal(Renewal renewal) {
			RedlockSettings settings = RenewalRound.this.nodes.settings();
			this.grant = renewal.grant();
			this.ttl = (renewal.ttl().compareTo(settings.maxTtl()) < 0) ? renewal.ttl() : settings.maxTtl();
			this.record = RenewalRound.this.outstanding.find(renewal.grant().ownerId());
			String value = settings.lockValue(renewal.grant().ownerId());
			long ttlMillis = this.ttl.plusNanos(999_999).toMillis();
			// The tokens are the same for all keys.
			long last = renewal.grant().token().last();
			List<String> keys = renewal.grant().target().keys();
			this.locks = new ArrayList<>(keys.size());
			for (String key : keys) {
				this.locks.add(new NodeSession.HeldLock(key, value, ttlMillis, last));
			}
		}

		NodeMembers.HeldMember member(NodeSession.HeldLock lock) {
			return new NodeMembers.HeldMember(this.grant.target().mode(), lock, this.grant.token().count());
		}

		synchronized Optional<RenewalOutcome> outcome() {
			return Optional.ofNullable(this.outcome);
		}

		/**
		 * Count the answer of a node.
		 * @param reinstall puts the lock back on the node
		 * @return the locks to put back now
		 */
		synchronized List<Runnable> count(LeaseStanding standing, Runnable reinstall) {
			if (standing.counts()) {
				this.mine++;
			}
			else {
				this.gone++;
				if (standing == LeaseStanding.GONE) {
					this.missing.add(reinstall);
				}
			}
			if (this.outcome == null) {
				this.outcome = decide();
			}
			if (!(this.outcome instanceof RenewalOutcome.Renewed)) {
				return List.of();
			}
			List<Runnable> due = List.copyOf(this.missing);
			this.missing.clear();
			return due;
		}

		private @Nullable RenewalOutcome decide() {
			NodeGroup nodes = RenewalRound.this.nodes;
			if (this.mine < nodes.quorum()) {
				return (this.gone > nodes.size() - nodes.quorum()) ? new RenewalOutcome.Lost() : null;
			}
			long until = LockClock.validUntil(RenewalRound.this.sentAt, this.ttl);
			boolean stands = this.record == null || this.record.extend(until, nodes.clock().nanoTime());
			return stands ? new RenewalOutcome.Renewed(until) : new RenewalOutcome.Lost();
		}

	}

}
