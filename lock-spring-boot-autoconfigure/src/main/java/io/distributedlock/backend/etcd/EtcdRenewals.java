package io.distributedlock.backend.etcd;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.KeyValue;
import io.etcd.jetcd.op.Op;
import io.etcd.jetcd.options.GetOption;
import org.jspecify.annotations.Nullable;

import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.Renewal;
import io.distributedlock.spi.RenewalOutcome;

/**
 * Confirms leases by one look at the entries of all of them. A lease is valid for the
 * requested time, but no longer than the session, which its own heartbeat keeps alive.
 *
 * @param requests sends requests
 * @param sessions the sessions of the entries
 * @param givenUp receives the entries of leases that were lost
 */
record EtcdRenewals(EtcdRequests requests, EtcdSessions sessions, GivenUpEntries givenUp) {

	private static final GetOption KEYS_ONLY = GetOption.builder().withKeysOnly(true).build();

	CompletionStage<List<RenewalOutcome>> renew(List<Renewal> renewals) {
		long sentAt = this.requests.now();
		List<@Nullable EtcdQueueEntry> held = renewals.stream()
			.map((renewal) -> held(renewal.grant(), sentAt))
			.toList();
		return look(held).thenApply((revisions) -> IntStream.range(0, renewals.size())
			.mapToObj((i) -> outcome(renewals.get(i), held.get(i), revisions, sentAt))
			.toList());
	}

	private @Nullable EtcdQueueEntry held(LeaseGrant grant, long now) {
		long revision = EtcdQueueEntry.revisionOf(grant.token().first());
		EtcdQueueEntry entry = this.sessions.findHeld(grant.ownerId(), revision);
		// A lease that has run out is not revived, although its key may still exist.
		return (entry != null && entry.session().isOpen() && !entry.isRunOut(now)) ? entry : null;
	}

	/**
	 * Return the create revisions of the entries that exist, by their names.
	 */
	private CompletionStage<Map<ByteSequence, Long>> look(List<@Nullable EtcdQueueEntry> held) {
		List<Op> looks = held.stream()
			.filter(Objects::nonNull)
			.<Op>map((entry) -> Op.get(entry.name(), KEYS_ONLY))
			.toList();
		if (looks.isEmpty()) {
			return CompletableFuture.completedStage(Map.of());
		}
		return this.sessions.trusted()
			.thenCompose((trusted) -> this.requests.commit(EtcdTxn.of(looks)))
			.thenApply((answer) -> answer.getGetResponses()
				.stream()
				.flatMap((shown) -> shown.getKvs().stream())
				.collect(Collectors.toMap(KeyValue::getKey, KeyValue::getCreateRevision, (one, same) -> one)));
	}

	private RenewalOutcome outcome(Renewal renewal, @Nullable EtcdQueueEntry entry, Map<ByteSequence, Long> revisions,
			long sentAt) {
		if (entry == null) {
			return new RenewalOutcome.Lost();
		}
		if (revisions.getOrDefault(entry.name(), 0L) != entry.revision() || !entry.session().isOpen()) {
			this.givenUp.forget(entry, false);
			return new RenewalOutcome.Lost();
		}
		entry.lengthen(sentAt, renewal.ttl());
		return new RenewalOutcome.Renewed(LockClock.validUntil(sentAt, renewal.ttl()));
	}

}
