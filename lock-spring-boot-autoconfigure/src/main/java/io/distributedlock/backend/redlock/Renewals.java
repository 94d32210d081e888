package io.distributedlock.backend.redlock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;

import io.distributedlock.backend.LeaseRenewals;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.Renewal;
import io.distributedlock.spi.RenewalOutcome;

/**
 * Renews leases at a majority. A node that has lost a lock of a lease is given it back by
 * a second message, only after a majority has said that the lease stands and while it is
 * held, and that is never counted: else a lock that is taken anew could make a majority
 * for a lease that was interrupted.
 */
final class Renewals implements LeaseRenewals {

	private final Nodes nodes;

	private final Claims claims;

	Renewals(Nodes nodes, Claims claims) {
		this.nodes = nodes;
		this.claims = claims;
	}

	@Override
	public CompletionStage<List<RenewalOutcome>> renew(List<Renewal> renewals) {
		if (renewals.isEmpty()) {
			return CompletableFuture.completedStage(List.of());
		}
		Batch batch = new Batch(renewals);
		batch.send();
		return batch.result;
	}

	private final class Batch {

		private final List<Renewing> all = new ArrayList<>();

		private final CompletableFuture<List<RenewalOutcome>> result = new CompletableFuture<>();

		private final long sentAt = Renewals.this.nodes.clock().nanoTime();

		// All below is guarded by the monitor.
		private int open = Renewals.this.nodes.size();

		private final NodeFaults faults = new NodeFaults();

		// The servers whose answers count: one that is listed under two addresses has
		// one.
		private final Set<String> counted = new HashSet<>();

		Batch(List<Renewal> renewals) {
			renewals.forEach((renewal) -> this.all.add(new Renewing(renewal)));
		}

		void send() {
			LockClock.Timeout timeout = Renewals.this.nodes.clock()
				.schedule(Renewals.this.nodes.settings().callTimeout(), this::end);
			this.result.whenComplete((outcomes, fault) -> timeout.cancel());
			List<NodeSession.HeldLock> locks = this.all.stream().map((renewing) -> renewing.lock).toList();
			for (NodeLink link : Renewals.this.nodes.links()) {
				NodeStanding standing = link.standing();
				NodeSession session = standing.session();
				NodeState state = standing.state();
				if (session == null || state == null || !link.isVoting()) {
					closed();
					continue;
				}
				int jumps = link.jumps();
				link.ask(session, (open) -> open.renew(standing.literal(), locks)).whenComplete((answer, fault) -> {
					this.faults.add(link.index(), fault);
					if (!link.isTrusted(jumps) || answer != null && !isFirstOf(state.runId())) {
						closed();
						return;
					}
					if (answer != null && answer.value().isPresent()) {
						answered(link, session, standing.literal(), answer.value().get());
					}
					else if (answer != null) {
						link.look();
					}
					closed();
				});
			}
		}

		private synchronized boolean isFirstOf(String runId) {
			return this.counted.add(runId);
		}

		private void answered(NodeLink link, NodeSession session, String state, List<@Nullable Boolean> mine) {
			List<Runnable> reinstalls = new ArrayList<>();
			for (int i = 0; i < this.all.size(); i++) {
				Renewing renewing = this.all.get(i);
				Boolean said = mine.get(i);
				if (said == null) {
					this.faults.add(link.index(),
							new UnknownFormatException("the counter of '" + renewing.lock.key() + "'"));
					continue;
				}
				boolean isMine = said;
				synchronized (this) {
					renewing.count(isMine, this.sentAt);
					if (!isMine) {
						renewing.missing.add(() -> reinstall(renewing, link, session, state));
					}
					if (renewing.outcome instanceof RenewalOutcome.Renewed) {
						reinstalls.addAll(renewing.missing);
						renewing.missing.clear();
					}
				}
			}
			reinstalls.forEach(Runnable::run);
		}

		private void closed() {
			boolean over;
			synchronized (this) {
				this.open--;
				over = this.open == 0 || this.all.stream().allMatch((renewing) -> renewing.outcome != null);
			}
			if (over) {
				end();
			}
		}

		private void end() {
			List<RenewalOutcome> outcomes = new ArrayList<>();
			RuntimeException fault = null;
			for (Renewing renewing : this.all) {
				RenewalOutcome outcome;
				synchronized (this) {
					outcome = renewing.outcome;
				}
				if (outcome == null) {
					fault = (fault != null) ? fault
							: Renewals.this.nodes.unavailable("a lease was to be renewed", this.faults);
					outcome = new RenewalOutcome.Unknown(fault);
				}
				outcomes.add(outcome);
			}
			this.result.complete(outcomes);
		}

		private void reinstall(Renewing renewing, NodeLink link, NodeSession session, String state) {
			Claim claim = renewing.claim;
			long now = Renewals.this.nodes.clock().nanoTime();
			if (claim != null && renewing.lock.ttlMillis() != 0 && claim.isHeld(now)) {
				var unused = Renewals.this.claims.ask(claim, link, session, now,
						(open) -> open.reinstall(state, renewing.lock), Boolean::booleanValue);
			}
		}

	}

	/**
	 * One lease that is renewed. Guarded by the monitor of its batch.
	 */
	private final class Renewing {

		private final Duration ttl;

		private final NodeSession.HeldLock lock;

		private final @Nullable Claim claim;

		private final List<Runnable> missing = new ArrayList<>();

		private int mine;

		private int gone;

		private @Nullable RenewalOutcome outcome;

		Renewing(Renewal renewal) {
			RedlockSettings settings = Renewals.this.nodes.settings();
			this.ttl = (renewal.ttl().compareTo(settings.maxTtl()) < 0) ? renewal.ttl() : settings.maxTtl();
			this.claim = Renewals.this.claims.find(renewal.grant().ownerId());
			this.lock = new NodeSession.HeldLock(renewal.grant().target().key(),
					renewal.grant().ownerId().value() + "|" + settings.instanceId(),
					this.ttl.plusNanos(999_999).toMillis(), renewal.grant().token().last());
		}

		void count(boolean isMine, long sentAt) {
			this.mine += isMine ? 1 : 0;
			this.gone += isMine ? 0 : 1;
			if (this.outcome != null) {
				return;
			}
			int quorum = Renewals.this.nodes.quorum();
			if (this.mine >= quorum) {
				this.outcome = renewed(LockClock.validUntil(sentAt, this.ttl));
			}
			else if (this.gone > Renewals.this.nodes.size() - quorum) {
				this.outcome = new RenewalOutcome.Lost();
			}
		}

		/**
		 * Lost is final: an answer that comes after the end of the validity revives
		 * nothing.
		 */
		private RenewalOutcome renewed(long until) {
			if (this.claim == null) {
				return new RenewalOutcome.Renewed(until);
			}
			if (!this.claim.isHeld(Renewals.this.nodes.clock().nanoTime())) {
				return new RenewalOutcome.Lost();
			}
			this.claim.lengthen(until);
			return new RenewalOutcome.Renewed(until);
		}

	}

}
