package io.distributedlock.backend.etcd;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.etcd.jetcd.KeyValue;
import io.etcd.jetcd.kv.GetResponse;
import io.etcd.jetcd.kv.TxnResponse;
import io.etcd.jetcd.op.Op;
import io.etcd.jetcd.options.GetOption;
import org.jspecify.annotations.Nullable;

import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.Renewal;
import io.distributedlock.spi.RenewalOutcome;

/**
 * Confirms that leases stand: one look at the places of all of them. Their validity is
 * that of the session, which its own heartbeat keeps alive, for as long as was asked for.
 */
final class Renewals {

	private static final GetOption KEYS_ONLY = GetOption.builder().withKeysOnly(true).build();

	private final EtcdRequests requests;

	private final GivenUpEntries givenUp;

	private final EtcdSessions sessions;

	Renewals(EtcdRequests requests, GivenUpEntries givenUp, EtcdSessions sessions) {
		this.requests = requests;
		this.givenUp = givenUp;
		this.sessions = sessions;
	}

	CompletionStage<List<RenewalOutcome>> renew(List<Renewal> renewals) {
		long sentAt = this.requests.now();
		List<@Nullable Place> held = new ArrayList<>(renewals.size());
		List<Op> looks = new ArrayList<>(renewals.size());
		for (Renewal renewal : renewals) {
			Place place = held(renewal.grant(), sentAt);
			held.add(place);
			if (place != null) {
				looks.add(Op.get(place.name(), KEYS_ONLY));
			}
		}
		if (looks.isEmpty()) {
			return CompletableFuture.completedStage(outcomes(renewals, held, List.of(), sentAt));
		}
		return this.sessions.trusted()
			.thenCompose((trusted) -> this.requests.commit(Transaction.of(looks)))
			.thenApply(TxnResponse::getGetResponses)
			.thenApply((shown) -> outcomes(renewals, held, shown, sentAt));
	}

	private @Nullable Place held(LeaseGrant grant, long now) {
		long revision = Place.revisionOf(grant.token().first());
		Place place = this.sessions.findHeld(grant.ownerId(), revision);
		// What has run out is not revived, although its key may still be there.
		return (place != null && place.session().isOpen() && !place.isRunOut(now)) ? place : null;
	}

	private List<RenewalOutcome> outcomes(List<Renewal> renewals, List<@Nullable Place> held, List<GetResponse> shown,
			long sentAt) {
		List<RenewalOutcome> outcomes = new ArrayList<>(renewals.size());
		int next = 0;
		for (int i = 0; i < renewals.size(); i++) {
			Place place = held.get(i);
			outcomes
				.add((place != null) ? outcome(renewals.get(i), place, EtcdLockQueue.only(shown.get(next++)), sentAt)
						: new RenewalOutcome.Lost());
		}
		return outcomes;
	}

	private RenewalOutcome outcome(Renewal renewal, Place place, @Nullable KeyValue key, long sentAt) {
		if (key == null || key.getCreateRevision() != place.revision() || !place.session().isOpen()) {
			this.givenUp.forget(place);
			return new RenewalOutcome.Lost();
		}
		place.lengthen(sentAt, renewal.ttl());
		return new RenewalOutcome.Renewed(LockClock.validUntil(sentAt, renewal.ttl()));
	}

}
