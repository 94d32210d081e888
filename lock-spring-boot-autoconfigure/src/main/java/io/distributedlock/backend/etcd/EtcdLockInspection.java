package io.distributedlock.backend.etcd;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.KeyValue;
import io.etcd.jetcd.kv.GetResponse;
import io.etcd.jetcd.op.Op;
import io.etcd.jetcd.options.GetOption;
import io.etcd.jetcd.options.OptionsUtil;

import io.distributedlock.LockInfo;
import io.distributedlock.LockMode;
import io.distributedlock.backend.call.ManyAnswers;
import io.distributedlock.backend.session.SessionEntry;
import io.distributedlock.spi.LockClock;

/**
 * Shows the locks of this and of other clients.
 *
 * @param requests sends requests
 * @param keys the names in etcd
 * @param queue the transactions of queues
 * @param clock the time
 */
record EtcdLockInspection(EtcdRequests requests, EtcdKeys keys, EtcdLockQueue queue, LockClock clock) {

	private static final int PAGE = 500;

	CompletionStage<Optional<LockInfo>> find(String key) {
		long end = this.requests.defaultEnd();
		return this.queue.holder(end, key).thenCompose((holder) -> {
			Map<String, KeyValue> holders = (holder != null) ? Map.of(key, holder) : Map.of();
			return describe(end, holders).thenApply((found) -> found.stream().findFirst());
		});
	}

	CompletionStage<List<LockInfo>> list() {
		ByteSequence root = this.keys.root();
		ByteSequence from = root.isEmpty() ? ByteSequence.from(new byte[] { 0 }) : root;
		return page(from, 0, new ArrayList<>())
			.thenCompose((entries) -> describe(this.requests.defaultEnd(), holders(entries)));
	}

	/**
	 * Read all names, one page after the other, as they were at one revision.
	 */
	private CompletionStage<List<KeyValue>> page(ByteSequence from, long revision, List<KeyValue> entries) {
		Op get = Op.get(from,
				GetOption.builder()
					.withRange(OptionsUtil.prefixEndOf(this.keys.root()))
					.withLimit(PAGE)
					.withRevision(revision)
					.build());
		return this.requests.commit(EtcdTxn.of(List.of(get))).thenCompose((answer) -> {
			GetResponse shown = answer.getGetResponses().get(0);
			entries.addAll(shown.getKvs());
			if (!shown.isMore() || shown.getKvs().isEmpty()) {
				return CompletableFuture.completedStage(entries);
			}
			ByteSequence last = shown.getKvs().get(shown.getKvs().size() - 1).getKey();
			return page(last.concat(ByteSequence.from(new byte[] { 0 })),
					(revision != 0) ? revision : answer.getHeader().getRevision(), entries);
		});
	}

	private Map<String, KeyValue> holders(List<KeyValue> entries) {
		Map<String, KeyValue> holders = new LinkedHashMap<>();
		Set<String> cooling = new HashSet<>();
		for (KeyValue entry : entries) {
			this.keys.parse(entry.getKey()).ifPresent((named) -> {
				if (named.kind() != EtcdKeys.Kind.COOLDOWN) {
					holders.merge(named.key(), entry,
							(one, other) -> (one.getCreateRevision() < other.getCreateRevision()) ? one : other);
				}
				else {
					cooling.add(named.key());
				}
			});
		}
		holders.keySet().removeAll(cooling);
		holders.values().removeIf((holder) -> !this.queue.isOfThisVersion(holder));
		return holders;
	}

	private CompletionStage<List<LockInfo>> describe(long end, Map<String, KeyValue> holders) {
		Map<Long, CompletableFuture<EtcdLink.LeaseState>> sessions = new HashMap<>();
		return ManyAnswers
			.join(holders.entrySet()
				.stream()
				.map((held) -> sessions
					.computeIfAbsent(held.getValue().getLease(), (lease) -> this.requests.state(end, lease, false))
					.thenApply((session) -> describe(held.getKey(), held.getValue(), session.restSeconds()))))
			.thenApply((found) -> found.stream().flatMap(Optional::stream).toList());
	}

	private Optional<LockInfo> describe(String key, KeyValue holder, long restSeconds) {
		// Below zero, the session has ended since the look at the lock. Etcd returns
		// whole seconds, rounded down.
		return EtcdEntryValue.parse(holder.getValue())
			.filter((value) -> restSeconds >= 0)
			.map((value) -> new LockInfo(key, value.instance(), LockMode.EXCLUSIVE,
					SessionEntry.firstToken(holder.getCreateRevision()) + value.span() - 1,
					Duration.ofMillis(this.clock.wallMillis() - value.sinceMillis()),
					Duration.ofSeconds(Math.max(1, restSeconds))));
	}

}
