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
import org.jspecify.annotations.Nullable;

import io.distributedlock.LockInfo;
import io.distributedlock.LockMode;
import io.distributedlock.backend.call.ManyAnswers;
import io.distributedlock.backend.session.SessionEntry;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.LockPage;

/**
 * Shows the locks of this and of other clients.
 *
 * @param requests sends requests
 * @param keys the names in etcd
 * @param queue the transactions of queues
 * @param clock the time
 */
record EtcdLockInspection(EtcdRequests requests, EtcdKeys keys, EtcdLockQueue queue, LockClock clock) {

	/**
	 * The number of names that are read at once.
	 */
	private static final int CHUNK = 500;

	CompletionStage<Optional<LockInfo>> find(String key) {
		long end = this.requests.defaultEnd();
		return this.queue.holder(end, key).thenCompose((holder) -> {
			Map<String, KeyValue> holders = (holder != null) ? Map.of(key, holder) : Map.of();
			return describe(end, holders).thenApply((found) -> found.stream().findFirst());
		});
	}

	/**
	 * List locks in the order of their names. All names of one key stand together.
	 */
	CompletionStage<LockPage> list(@Nullable String next, int limit) {
		return read((next != null) ? this.keys.behind(next) : this.keys.all(), limit, new ArrayList<>());
	}

	/**
	 * Read names until the page is full, and all names of its last key were read.
	 * @param names the names to read
	 * @param limit the greatest number of locks
	 * @param entries the names that were read before
	 */
	private CompletionStage<LockPage> read(EtcdKeys.Range names, int limit, List<KeyValue> entries) {
		Op get = Op.get(names.from(), GetOption.builder().withRange(names.to()).withLimit(CHUNK).build());
		return this.requests.commit(EtcdTxn.of(List.of(get))).thenCompose((answer) -> {
			GetResponse shown = answer.getGetResponses().get(0);
			entries.addAll(shown.getKvs());
			boolean more = shown.isMore() && !shown.getKvs().isEmpty();
			Map<String, KeyValue> holders = holders(entries);
			if (more) {
				ByteSequence last = entries.get(entries.size() - 1).getKey();
				// The next chunk may have further names of the same key.
				this.keys.parse(last).ifPresent((named) -> holders.remove(named.key()));
				if (holders.size() < limit) {
					return read(new EtcdKeys.Range(last.concat(ByteSequence.from(new byte[] { 0 })), names.to()), limit,
							entries);
				}
			}
			List<String> page = holders.keySet().stream().limit(limit).toList();
			String next = (more || page.size() < holders.size()) ? page.get(page.size() - 1) : null;
			holders.keySet().retainAll(page);
			return describe(this.requests.defaultEnd(), holders).thenApply((locks) -> new LockPage(locks, next));
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
