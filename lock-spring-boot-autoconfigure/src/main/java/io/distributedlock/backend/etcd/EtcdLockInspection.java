package io.distributedlock.backend.etcd;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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
 * @param holders finds holders
 * @param clock the time
 */
record EtcdLockInspection(EtcdRequests requests, EtcdKeys keys, EtcdLockHolders holders, LockClock clock) {

	/**
	 * The number of names that are read at once.
	 */
	private static final int CHUNK = 500;

	CompletionStage<Optional<LockInfo>> find(String key) {
		long end = this.requests.defaultEnd();
		return this.holders.oldest(end, key).thenCompose((holder) -> {
			Map<String, List<KeyValue>> found = (holder != null) ? Map.of(key, List.of(holder)) : Map.of();
			return describe(end, found).thenApply((described) -> described.stream().findFirst());
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
	 * @param limit the greatest number of keys
	 * @param entries the names that were read before
	 */
	private CompletionStage<LockPage> read(EtcdKeys.Range names, int limit, List<KeyValue> entries) {
		Op get = Op.get(names.from(), GetOption.builder().withRange(names.to()).withLimit(CHUNK).build());
		return this.requests.commit(EtcdTxn.of(List.of(get))).thenCompose((answer) -> {
			GetResponse shown = answer.getGetResponses().get(0);
			entries.addAll(shown.getKvs());
			boolean more = shown.isMore() && !shown.getKvs().isEmpty();
			Map<String, List<KeyValue>> holders = holders(entries);
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

	private Map<String, List<KeyValue>> holders(List<KeyValue> entries) {
		Map<String, List<KeyValue>> queues = new LinkedHashMap<>();
		Set<String> cooling = new HashSet<>();
		for (KeyValue entry : entries) {
			this.keys.parse(entry.getKey()).ifPresent((named) -> {
				if (named.kind() != EtcdKeys.Kind.COOLDOWN) {
					queues.computeIfAbsent(named.key(), (key) -> new ArrayList<>()).add(entry);
				}
				else {
					cooling.add(named.key());
				}
			});
		}
		queues.keySet().removeAll(cooling);
		queues.replaceAll((key, queue) -> EtcdLockHolders.among(queue));
		queues.values().removeIf(List::isEmpty);
		return queues;
	}

	private CompletionStage<List<LockInfo>> describe(long end, Map<String, List<KeyValue>> holders) {
		Map<Long, CompletableFuture<EtcdLink.LeaseState>> sessions = new HashMap<>();
		return ManyAnswers
			.join(holders.entrySet()
				.stream()
				.flatMap((held) -> held.getValue()
					.stream()
					.map((holder) -> sessions
						.computeIfAbsent(holder.getLease(), (lease) -> this.requests.state(end, lease, false))
						.thenApply((session) -> describe(held.getKey(), holder, session.restSeconds())))))
			.thenApply((found) -> found.stream().flatMap(Optional::stream).toList());
	}

	private Optional<LockInfo> describe(String key, KeyValue holder, long restSeconds) {
		// Below zero, the session has ended since the look at the lock. Etcd returns
		// whole seconds, rounded down.
		LockMode mode = EtcdKeys.modeOf(holder.getKey());
		return EtcdEntryValue.of(holder)
			.filter((value) -> mode != null && restSeconds >= 0)
			.map((value) -> new LockInfo(key, value.instance(), Objects.requireNonNull(mode),
					SessionEntry.firstToken(holder.getCreateRevision()) + value.span() - 1,
					Duration.ofMillis(this.clock.wallMillis() - value.sinceMillis()),
					Duration.ofSeconds(Math.max(1, restSeconds))));
	}

}
