package io.distributedlock.backend.zookeeper;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.apache.zookeeper.Op;
import org.jspecify.annotations.Nullable;

import io.distributedlock.backend.LeaseRenewals;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.Renewal;
import io.distributedlock.spi.RenewalOutcome;

/**
 * Asks whether leases stand, all of a batch in one round trip: by one transaction that
 * changes nothing and checks that their nodes are there. As a write it goes through the
 * leader, which knows, where a read is answered by a server that may be behind. The store
 * keeps no ttl that could be lengthened, and the validity of the session comes from its
 * heartbeat alone.
 */
final class ZooKeeperRenewals implements LeaseRenewals {

	private final ZooKeeperSessions sessions;

	private final RepeatedRequests requests;

	private final LockClock clock;

	ZooKeeperRenewals(ZooKeeperSessions sessions, RepeatedRequests requests, LockClock clock) {
		this.sessions = sessions;
		this.requests = requests;
		this.clock = clock;
	}

	@Override
	public CompletionStage<List<RenewalOutcome>> renew(List<Renewal> renewals) {
		List<Asked> asked = new ArrayList<>();
		for (Renewal renewal : renewals) {
			OwnQueueNode node = this.sessions.findHeld(renewal.grant().ownerId());
			boolean known = node != null && node.firstToken() == renewal.grant().token().first();
			asked.add(new Asked(renewal, known ? node : null, new CompletableFuture<>()));
		}
		List<Asked> known = asked.stream().filter((one) -> one.node != null).toList();
		asked.stream().filter((one) -> one.node == null).forEach(Asked::lost);
		ask(known);
		CompletableFuture<Void> answered = CompletableFuture
			.allOf(asked.stream().map(Asked::outcome).toArray(CompletableFuture[]::new));
		return answered.thenApply((done) -> asked.stream().map((one) -> one.outcome.join()).toList());
	}

	private void ask(List<Asked> asked) {
		if (asked.isEmpty()) {
			return;
		}
		List<Op> checks = asked.stream().map((one) -> Op.check(one.knownNode().path(), -1)).toList();
		CompletableFuture<Long> answer = this.requests
			.bounded(this.requests.askIn(asked.get(0).knownNode().session(), (session) -> {
				long sentAt = this.clock.nanoTime();
				return session.requests().multi(checks).thenApply((stand) -> sentAt);
			}));
		answer.whenComplete((sentAt, fault) -> {
			if (fault == null) {
				asked.forEach((one) -> one.stands(sentAt));
			}
			else if (ZooKeeperFaults.isNoNode(fault) && asked.size() > 1) {
				asked.forEach((one) -> ask(List.of(one)));
			}
			else if (ZooKeeperFaults.isNoNode(fault) || ZooKeeperFaults.isSessionEnd(fault)) {
				asked.forEach(Asked::lost);
			}
			else {
				asked.forEach((one) -> one.outcome.complete(new RenewalOutcome.Unknown(ZooKeeperFaults.cause(fault))));
			}
		});
	}

	/**
	 * A renewal and its outcome to be.
	 */
	private record Asked(Renewal renewal, @Nullable OwnQueueNode node, CompletableFuture<RenewalOutcome> outcome) {

		OwnQueueNode knownNode() {
			if (this.node == null) {
				throw new IllegalStateException("Not held: " + this.renewal);
			}
			return this.node;
		}

		void stands(long sentAt) {
			this.outcome.complete(new RenewalOutcome.Renewed(LockClock.validUntil(sentAt, this.renewal.ttl())));
		}

		void lost() {
			if (this.node != null) {
				this.node.session().entries().remove(this.node);
			}
			this.outcome.complete(new RenewalOutcome.Lost());
		}

	}

}
