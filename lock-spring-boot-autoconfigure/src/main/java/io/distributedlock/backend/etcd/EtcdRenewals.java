package io.distributedlock.backend.etcd;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.KeyValue;
import io.etcd.jetcd.op.Op;
import io.etcd.jetcd.options.GetOption;
import org.jspecify.annotations.Nullable;

import io.distributedlock.LockMode;
import io.distributedlock.backend.call.ManyAnswers;
import io.distributedlock.spi.BackendListener;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.Renewal;
import io.distributedlock.spi.RenewalOutcome;

/**
 * Confirms leases by one look at the entries of all of them. A lease is valid for the
 * requested time, but no longer than the session, which its own heartbeat keeps alive. A
 * lease of several keys is lost with one of them.
 * <p>
 * The same look shows whether a writer waits behind a reader. Entries before the reader's
 * would keep it from the lock, so it is enough that there is one.
 *
 * @param requests sends requests
 * @param keys the names in etcd
 * @param sessions the sessions of the entries
 * @param givenUp receives the entries of leases that were lost
 * @param listener is notified of waiting writers
 */
record EtcdRenewals(EtcdRequests requests, EtcdKeys keys, EtcdSessions sessions, GivenUpEntries givenUp,
		BackendListener listener) {

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
	 * Return the create revisions of the entries that exist, by their names, and of one
	 * exclusive entry for each key with readers, if there is any.
	 */
	private CompletionStage<Map<ByteSequence, Long>> look(List<@Nullable EtcdQueueEntry> held) {
		List<Op> looks = new ArrayList<>();
		Set<String> shared = new HashSet<>();
		held.stream().filter(Objects::nonNull).forEach((entry) -> {
			for (EtcdPlace place : entry.places()) {
				looks.add(Op.get(place.name(), KEYS_ONLY));
				if (isShared(entry) && shared.add(place.key())) {
					looks.add(anyWriter(place.key()));
				}
			}
		});
		if (looks.isEmpty()) {
			return CompletableFuture.completedStage(Map.of());
		}
		return this.sessions.trusted()
			.thenCompose((trusted) -> ManyAnswers.join(ManyAnswers.chunks(looks, EtcdTxn.BATCH)
				.stream()
				.map((some) -> this.requests.commit(EtcdTxn.of(some)))))
			.thenApply((answers) -> answers.stream()
				.flatMap((answer) -> answer.getGetResponses().stream())
				.flatMap((shown) -> shown.getKvs().stream())
				.collect(Collectors.toMap(KeyValue::getKey, KeyValue::getCreateRevision, (one, same) -> one)));
	}

	private static boolean isShared(EtcdQueueEntry entry) {
		return entry.target().mode() == LockMode.SHARED;
	}

	private Op anyWriter(String key) {
		EtcdKeys.Range writers = new EtcdKeys.Range(this.keys.queue(key),
				this.keys.members(key, LockMode.SHARED).from());
		return Op.get(writers.from(), EtcdLockQueue.within(writers).withKeysOnly(true).withLimit(1).build());
	}

	private boolean hasWriter(EtcdQueueEntry entry, Map<ByteSequence, Long> revisions) {
		return isShared(entry) && entry.target()
			.keys()
			.stream()
			.map(this.keys::queue)
			.anyMatch((queue) -> revisions.keySet()
				.stream()
				.anyMatch((name) -> name.startsWith(queue) && EtcdKeys.modeOf(name) == LockMode.EXCLUSIVE));
	}

	private RenewalOutcome outcome(Renewal renewal, @Nullable EtcdQueueEntry entry, Map<ByteSequence, Long> revisions,
			long sentAt) {
		if (entry == null) {
			return new RenewalOutcome.Lost();
		}
		boolean stands = entry.names()
			.stream()
			.allMatch((name) -> revisions.getOrDefault(name, 0L) == entry.revision());
		if (!stands || !entry.session().isOpen()) {
			this.givenUp.forget(entry, false);
			return new RenewalOutcome.Lost();
		}
		if (hasWriter(entry, revisions)) {
			this.listener.contended(renewal.grant(), Duration.ZERO);
		}
		entry.lengthen(sentAt, renewal.ttl());
		return new RenewalOutcome.Renewed(LockClock.validUntil(sentAt, renewal.ttl()));
	}

}
