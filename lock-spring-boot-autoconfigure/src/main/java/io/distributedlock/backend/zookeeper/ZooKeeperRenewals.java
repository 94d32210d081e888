package io.distributedlock.backend.zookeeper;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.apache.zookeeper.Op;

import io.distributedlock.backend.call.ManyAnswers;
import io.distributedlock.spi.CompletionCauses;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.Renewal;
import io.distributedlock.spi.RenewalOutcome;

/**
 * Checks the leases of a batch in one round trip, by one transaction that checks that
 * their nodes exist and changes nothing. As a write it goes through the leader, which
 * knows of every removal, whereas a read is answered by a server that may be behind. The
 * store keeps no TTL that could be extended, and the validity of the session comes from
 * its heartbeat alone.
 *
 * @param sessions the sessions of the nodes
 * @param requests repeats requests
 * @param clock the time
 */
record ZooKeeperRenewals(ZooKeeperSessions sessions, RepeatedRequests requests, LockClock clock) {

	CompletionStage<List<RenewalOutcome>> renew(List<Renewal> renewals) {
		List<CompletableFuture<RenewalOutcome>> outcomes = new ArrayList<>();
		List<PendingRenewal> held = new ArrayList<>();
		for (Renewal renewal : renewals) {
			CompletableFuture<RenewalOutcome> outcome = new CompletableFuture<>();
			outcomes.add(outcome);
			OwnQueueNode node = this.sessions.findHeld(renewal.grant());
			if (node != null) {
				held.add(new PendingRenewal(node, renewal.ttl(), outcome));
			}
			else {
				outcome.complete(new RenewalOutcome.Lost());
			}
		}
		ask(held);
		return ManyAnswers.join(outcomes.stream());
	}

	private void ask(List<PendingRenewal> held) {
		if (held.isEmpty()) {
			return;
		}
		List<Op> checks = held.stream().map((lease) -> Op.check(lease.node.path(), -1)).toList();
		this.requests.bounded(this.requests.askIn(held.get(0).node.session(), (session) -> {
			long sentAt = this.clock.nanoTime();
			return session.requests().multi(checks).thenApply((stand) -> sentAt);
		})).whenComplete((sentAt, fault) -> {
			if (fault == null) {
				held.forEach((lease) -> lease.stands(sentAt));
			}
			else if (ZooKeeperFaults.isNoNode(fault) && held.size() > 1) {
				held.forEach((lease) -> ask(List.of(lease)));
			}
			else if (ZooKeeperFaults.isNoNode(fault) || ZooKeeperFaults.isSessionEnd(fault)) {
				held.forEach(PendingRenewal::lost);
			}
			else {
				held.forEach(
						(lease) -> lease.outcome.complete(new RenewalOutcome.Unknown(CompletionCauses.unwrap(fault))));
			}
		});
	}

	/**
	 * A lease that is renewed, and its outcome.
	 */
	private record PendingRenewal(OwnQueueNode node, Duration ttl, CompletableFuture<RenewalOutcome> outcome) {

		void stands(long sentAt) {
			this.outcome.complete(new RenewalOutcome.Renewed(LockClock.validUntil(sentAt, this.ttl)));
		}

		void lost() {
			this.node.session().entries().remove(this.node);
			this.outcome.complete(new RenewalOutcome.Lost());
		}

	}

}
