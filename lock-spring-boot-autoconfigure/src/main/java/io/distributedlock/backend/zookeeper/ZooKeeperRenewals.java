package io.distributedlock.backend.zookeeper;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.apache.zookeeper.Op;

import io.distributedlock.LockMode;
import io.distributedlock.backend.call.ManyAnswers;
import io.distributedlock.spi.BackendListener;
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
 * <p>
 * Shared leases may be joined inside their JVM for as long as no other JVM waits. So the
 * queues of their keys are listed in the same flush.
 *
 * @param sessions the sessions of the nodes
 * @param requests repeats requests
 * @param listener is notified of shared leases that another JVM waits for
 * @param clock the time
 */
record ZooKeeperRenewals(ZooKeeperSessions sessions, RepeatedRequests requests, BackendListener listener,
		LockClock clock) {

	CompletionStage<List<RenewalOutcome>> renew(List<Renewal> renewals) {
		List<CompletableFuture<RenewalOutcome>> outcomes = new ArrayList<>();
		List<PendingRenewal> held = new ArrayList<>();
		for (Renewal renewal : renewals) {
			CompletableFuture<RenewalOutcome> outcome = new CompletableFuture<>();
			outcomes.add(outcome);
			OwnQueueNode node = this.sessions.findHeld(renewal.grant());
			if (node != null) {
				held.add(new PendingRenewal(node, renewal, outcome));
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
			CompletableFuture<String> stand = session.requests().multi(checks);
			return notifyOfWaiters(session, held).thenCombine(stand, (notified, all) -> sentAt);
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
	 * Report the shared leases that another client waits for.
	 * @return completed when that is done, or the queues could not be listed
	 */
	private CompletableFuture<Void> notifyOfWaiters(ZooKeeperSession session, List<PendingRenewal> held) {
		Map<String, CompletableFuture<List<String>>> queues = new HashMap<>();
		return CompletableFuture.allOf(held.stream()
			.filter(PendingRenewal::isShared)
			.map((lease) -> queues.computeIfAbsent(lease.node.lockPath(), session.requests()::getChildren)
				.handle((names, fault) -> {
					if (fault == null && QueueListing.of(names).isWantedBehind(lease.node)) {
						this.listener.contended(lease.renewal.grant(), Duration.ZERO);
					}
					return null;
				}))
			.toArray(CompletableFuture[]::new));
	}

	/**
	 * A lease that is renewed, and its outcome.
	 */
	private record PendingRenewal(OwnQueueNode node, Renewal renewal, CompletableFuture<RenewalOutcome> outcome) {

		boolean isShared() {
			return this.renewal.grant().target().mode() == LockMode.SHARED;
		}

		void stands(long sentAt) {
			this.outcome.complete(new RenewalOutcome.Renewed(LockClock.validUntil(sentAt, this.renewal.ttl())));
		}

		void lost() {
			this.node.session().entries().remove(this.node);
			this.outcome.complete(new RenewalOutcome.Lost());
		}

	}

}
