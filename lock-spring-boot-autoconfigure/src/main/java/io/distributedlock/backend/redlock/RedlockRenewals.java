package io.distributedlock.backend.redlock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;

import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.Renewal;
import io.distributedlock.spi.RenewalOutcome;

/**
 * Renews leases at a majority. A node that has lost a lock of a lease is given it back by
 * a second message, only after a majority has said that the lease stands and while it is
 * held, and that is never counted: else a lock that is taken anew could make a majority
 * for a lease that was interrupted.
 */
final class RedlockRenewals {

	private final NodeGroup nodes;

	private final OutstandingAttempts outstanding;

	RedlockRenewals(NodeGroup nodes, OutstandingAttempts outstanding) {
		this.nodes = nodes;
		this.outstanding = outstanding;
	}

	CompletionStage<List<RenewalOutcome>> renew(List<Renewal> renewals) {
		if (renewals.isEmpty()) {
			return CompletableFuture.completedStage(List.of());
		}
		RenewalVote vote = new RenewalVote(renewals);
		vote.send();
		return vote.result;
	}

	private final class RenewalVote {

		private final List<LeaseRenewal> all = new ArrayList<>();

		private final CompletableFuture<List<RenewalOutcome>> result = new CompletableFuture<>();

		private final long sentAt = RedlockRenewals.this.nodes.clock().nanoTime();

		private final NodeFaults faults = new NodeFaults();

		// The servers whose answers count: one that is listed under two addresses has
		// one.
		private final Set<String> counted = ConcurrentHashMap.newKeySet();

		// Guarded by the monitor.
		private int open = RedlockRenewals.this.nodes.size();

		RenewalVote(List<Renewal> renewals) {
			renewals.forEach((renewal) -> this.all.add(new LeaseRenewal(renewal)));
		}

		void send() {
			LockClock.Timeout timeout = RedlockRenewals.this.nodes.clock()
				.schedule(RedlockRenewals.this.nodes.settings().callTimeout(), this::end);
			this.result.whenComplete((outcomes, fault) -> timeout.cancel());
			List<NodeSession.HeldLock> locks = this.all.stream().map((renewing) -> renewing.lock).toList();
			for (NodeLink link : RedlockRenewals.this.nodes.links()) {
				NodeSnapshot snapshot = link.snapshot();
				NodeSession session = snapshot.session();
				NodeState state = snapshot.state();
				if (session == null || state == null || !link.isVoting()) {
					closed();
					continue;
				}
				int jumps = link.jumps();
				link.ask(session, (open) -> open.renew(snapshot.literal(), locks)).whenComplete((answer, fault) -> {
					this.faults.add(link.index(), fault);
					if (!link.isTrusted(jumps) || answer != null && !this.counted.add(state.runId())) {
						closed();
						return;
					}
					if (answer != null && answer.value().isPresent()) {
						answered(link, session, snapshot.literal(), answer.value().get());
					}
					else if (answer != null) {
						link.inspect();
					}
					closed();
				});
			}
		}

		private void answered(NodeLink link, NodeSession session, String state, List<@Nullable Boolean> mine) {
			List<Runnable> reinstalls = new ArrayList<>();
			for (int i = 0; i < this.all.size(); i++) {
				LeaseRenewal renewing = this.all.get(i);
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
			for (LeaseRenewal renewing : this.all) {
				RenewalOutcome outcome;
				synchronized (this) {
					outcome = renewing.outcome;
				}
				if (outcome == null) {
					fault = (fault != null) ? fault
							: RedlockRenewals.this.nodes.unavailable("a lease was to be renewed", this.faults);
					outcome = new RenewalOutcome.Unknown(fault);
				}
				outcomes.add(outcome);
			}
			this.result.complete(outcomes);
		}

		private void reinstall(LeaseRenewal renewing, NodeLink link, NodeSession session, String state) {
			AttemptRecord record = renewing.record;
			long now = RedlockRenewals.this.nodes.clock().nanoTime();
			if (record == null || renewing.lock.ttlMillis() == 0 || !record.isHeld(now)
					|| !record.beginRequest(link.index(), session, now)) {
				return;
			}
			CompletionStage<NodeAnswer<Boolean>> asked = link.ask(session,
					(open) -> open.reinstall(state, renewing.lock));
			record.requestSent(link.index());
			asked.thenAccept(
					(answer) -> RedlockRenewals.this.outstanding.answered(record, link, session, answer.value()));
		}

	}

	/**
	 * One lease that is renewed. Guarded by the monitor of its batch.
	 */
	private final class LeaseRenewal {

		private final Duration ttl;

		private final NodeSession.HeldLock lock;

		private final @Nullable AttemptRecord record;

		private final List<Runnable> missing = new ArrayList<>();

		private int mine;

		private int gone;

		private @Nullable RenewalOutcome outcome;

		LeaseRenewal(Renewal renewal) {
			RedlockSettings settings = RedlockRenewals.this.nodes.settings();
			this.ttl = (renewal.ttl().compareTo(settings.maxTtl()) < 0) ? renewal.ttl() : settings.maxTtl();
			this.record = RedlockRenewals.this.outstanding.find(renewal.grant().ownerId());
			this.lock = new NodeSession.HeldLock(renewal.grant().target().key(),
					settings.lockValue(renewal.grant().ownerId()), this.ttl.plusNanos(999_999).toMillis(),
					renewal.grant().token().last());
		}

		void count(boolean isMine, long sentAt) {
			this.mine += isMine ? 1 : 0;
			this.gone += isMine ? 0 : 1;
			if (this.outcome != null) {
				return;
			}
			int quorum = RedlockRenewals.this.nodes.quorum();
			if (this.mine >= quorum) {
				this.outcome = renewed(LockClock.validUntil(sentAt, this.ttl));
			}
			else if (this.gone > RedlockRenewals.this.nodes.size() - quorum) {
				this.outcome = new RenewalOutcome.Lost();
			}
		}

		/**
		 * Lost is final: an answer that comes after the end of the validity revives
		 * nothing.
		 */
		private RenewalOutcome renewed(long until) {
			if (this.record == null) {
				return new RenewalOutcome.Renewed(until);
			}
			if (!this.record.isHeld(RedlockRenewals.this.nodes.clock().nanoTime())) {
				return new RenewalOutcome.Lost();
			}
			this.record.extend(until);
			return new RenewalOutcome.Renewed(until);
		}

	}

}
