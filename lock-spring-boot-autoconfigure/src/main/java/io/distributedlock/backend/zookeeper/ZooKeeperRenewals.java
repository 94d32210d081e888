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
 * its heartbeat alone. A lease of several keys is checked as a whole.
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

	private static final int MOST_CHECKS = 100;

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
		transactions(held).forEach(this::ask);
		return ManyAnswers.join(outcomes.stream());
	}

	/**
	 * Divide leases so that no transaction grows with the number of their keys. All
	 * transactions are sent in one flush.
	 */
	private static List<List<PendingRenewal>> transactions(List<PendingRenewal> held) {
		List<List<PendingRenewal>> all = new ArrayList<>();
		int checks = MOST_CHECKS;
		for (PendingRenewal lease : held) {
			int more = lease.node.all().size();
			if (checks + more > MOST_CHECKS) {
				all.add(new ArrayList<>());
				checks = 0;
			}
			all.get(all.size() - 1).add(lease);
			checks += more;
		}
		return all;
	}

	private void ask(List<PendingRenewal> held) {
		List<Op> checks = held.stream()
			.flatMap((lease) -> lease.node.all().stream())
			.map((node) -> Op.check(node.path(), -1))
			.toList();
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
			.map((lease) -> ManyAnswers
				.join(lease.node.all()
					.stream()
					.map((node) -> queues.computeIfAbsent(node.lockPath(), session.requests()::getChildren)
						.handle((names,
								fault) -> fault == null && QueueListing.of(names)
									.isWantedBehind(node, (other) -> isNews(session, lease, other)))))
				.thenAccept((wanted) -> {
					if (wanted.contains(true)) {
						this.listener.contended(lease.renewal.grant(), Duration.ZERO);
					}
				}))
			.toArray(CompletableFuture[]::new));
	}

	/**
	 * Return whether the engine does not know that a node waits for a lease. It knows the
	 * waiters in its own queue for the same keys.
	 */
	private static boolean isNews(ZooKeeperSession session, PendingRenewal lease, QueueNode waiting) {
		if (waiting.session() != session.id()) {
			return true;
		}
		OwnQueueNode own = session.entries().find(waiting.id());
		return own != null && !own.hasSameKeysAs(lease.node);
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
