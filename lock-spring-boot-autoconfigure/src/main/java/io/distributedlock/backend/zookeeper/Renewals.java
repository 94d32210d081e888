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
final class Renewals implements LeaseRenewals {

	private final Operation operation;

	Renewals(Operation operation) {
		this.operation = operation;
	}

	@Override
	public CompletionStage<List<RenewalOutcome>> renew(List<Renewal> renewals) {
		List<Asked> asked = new ArrayList<>();
		for (Renewal renewal : renewals) {
			Place place = this.operation.held(renewal.grant().ownerId());
			boolean known = place != null && place.firstToken() == renewal.grant().token().first();
			asked.add(new Asked(renewal, known ? place : null, new CompletableFuture<>()));
		}
		List<Asked> known = asked.stream().filter((one) -> one.place != null).toList();
		asked.stream().filter((one) -> one.place == null).forEach(Asked::lost);
		ask(known);
		CompletableFuture<Void> answered = CompletableFuture
			.allOf(asked.stream().map(Asked::outcome).toArray(CompletableFuture[]::new));
		return answered.thenApply((done) -> asked.stream().map((one) -> one.outcome.join()).toList());
	}

	private void ask(List<Asked> asked) {
		if (asked.isEmpty()) {
			return;
		}
		List<Op> checks = asked.stream().map((one) -> Op.check(one.knownPlace().path(), -1)).toList();
		CompletableFuture<Long> answer = new CompletableFuture<>();
		this.operation.calls().bound(answer, this.operation.settings().callTimeout());
		this.operation.calls().in(asked.get(0).knownPlace().session(), (session) -> {
			long sentAt = this.operation.clock().nanoTime();
			return session.requests().multi(checks).thenApply((stand) -> sentAt);
		}, answer);
		answer.whenComplete((sentAt, fault) -> {
			if (fault == null) {
				asked.forEach((one) -> one.stands(sentAt));
			}
			else if (Faults.isNoNode(fault) && asked.size() > 1) {
				asked.forEach((one) -> ask(List.of(one)));
			}
			else if (Faults.isNoNode(fault) || Faults.isSessionEnd(fault)) {
				asked.forEach(Asked::lost);
			}
			else {
				asked.forEach((one) -> one.outcome.complete(new RenewalOutcome.Unknown(Faults.cause(fault))));
			}
		});
	}

	/**
	 * A renewal and its outcome to be.
	 */
	private record Asked(Renewal renewal, @Nullable Place place, CompletableFuture<RenewalOutcome> outcome) {

		Place knownPlace() {
			if (this.place == null) {
				throw new IllegalStateException("Not held: " + this.renewal);
			}
			return this.place;
		}

		void stands(long sentAt) {
			this.outcome.complete(new RenewalOutcome.Renewed(LockClock.validUntil(sentAt, this.renewal.ttl())));
		}

		void lost() {
			if (this.place != null) {
				this.place.session().forget(this.place.ownerId());
			}
			this.outcome.complete(new RenewalOutcome.Lost());
		}

	}

}
