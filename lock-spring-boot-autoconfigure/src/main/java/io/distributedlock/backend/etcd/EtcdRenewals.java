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
 * Confirms that leases stand: one look at the entries of all of them. Their validity is
 * that of the session, which its own heartbeat keeps alive, for as long as was asked for.
 */
final class EtcdRenewals {

	private static final GetOption KEYS_ONLY = GetOption.builder().withKeysOnly(true).build();

	private final EtcdRequests requests;

	private final GivenUpEntries givenUp;

	private final EtcdSessions sessions;

	EtcdRenewals(EtcdRequests requests, GivenUpEntries givenUp, EtcdSessions sessions) {
		this.requests = requests;
		this.givenUp = givenUp;
		this.sessions = sessions;
	}

	CompletionStage<List<RenewalOutcome>> renew(List<Renewal> renewals) {
		long sentAt = this.requests.now();
		List<@Nullable EtcdQueueEntry> held = new ArrayList<>(renewals.size());
		List<Op> looks = new ArrayList<>(renewals.size());
		for (Renewal renewal : renewals) {
			EtcdQueueEntry entry = held(renewal.grant(), sentAt);
			held.add(entry);
			if (entry != null) {
				looks.add(Op.get(entry.name(), KEYS_ONLY));
			}
		}
		if (looks.isEmpty()) {
			return CompletableFuture.completedStage(outcomes(renewals, held, List.of(), sentAt));
		}
		return this.sessions.trusted()
			.thenCompose((trusted) -> this.requests.commit(EtcdTxn.of(looks)))
			.thenApply(TxnResponse::getGetResponses)
			.thenApply((shown) -> outcomes(renewals, held, shown, sentAt));
	}

	private @Nullable EtcdQueueEntry held(LeaseGrant grant, long now) {
		long revision = EtcdQueueEntry.revisionOf(grant.token().first());
		EtcdQueueEntry entry = this.sessions.findHeld(grant.ownerId(), revision);
		// What has run out is not revived, although its key may still be there.
		return (entry != null && entry.session().isOpen() && !entry.isRunOut(now)) ? entry : null;
	}

	private List<RenewalOutcome> outcomes(List<Renewal> renewals, List<@Nullable EtcdQueueEntry> held,
			List<GetResponse> shown, long sentAt) {
		List<RenewalOutcome> outcomes = new ArrayList<>(renewals.size());
		int next = 0;
		for (int i = 0; i < renewals.size(); i++) {
			EtcdQueueEntry entry = held.get(i);
			outcomes
				.add((entry != null) ? outcome(renewals.get(i), entry, EtcdLockQueue.only(shown.get(next++)), sentAt)
						: new RenewalOutcome.Lost());
		}
		return outcomes;
	}

	private RenewalOutcome outcome(Renewal renewal, EtcdQueueEntry entry, @Nullable KeyValue key, long sentAt) {
		if (key == null || key.getCreateRevision() != entry.revision() || !entry.session().isOpen()) {
			this.givenUp.forget(entry, false);
			return new RenewalOutcome.Lost();
		}
		entry.lengthen(sentAt, renewal.ttl());
		return new RenewalOutcome.Renewed(LockClock.validUntil(sentAt, renewal.ttl()));
	}

}
