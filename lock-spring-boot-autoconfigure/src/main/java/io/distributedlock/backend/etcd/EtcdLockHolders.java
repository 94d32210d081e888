package io.distributedlock.backend.etcd;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

import io.etcd.jetcd.KeyValue;
import io.etcd.jetcd.kv.GetResponse;
import io.etcd.jetcd.op.Op;
import io.etcd.jetcd.options.GetOption;
import io.etcd.jetcd.options.GetOption.SortOrder;
import io.etcd.jetcd.options.GetOption.SortTarget;
import org.jspecify.annotations.Nullable;

import io.distributedlock.LockMode;

/**
 * Finds the entries that hold a lock.
 *
 * @param requests sends requests
 * @param keys the names of keys
 */
record EtcdLockHolders(EtcdRequests requests, EtcdKeys keys) {

	/**
	 * How many entries are read if the oldest one is only kept for its cooldown.
	 */
	private static final int CHUNK = 1_000;

	/**
	 * Return the entry of the holder, of several holders the oldest. Fails if the key is
	 * taken by an entry that this version does not understand.
	 */
	CompletionStage<@Nullable KeyValue> oldest(long end, String key) {
		return oldest(end, key, 1);
	}

	private CompletionStage<@Nullable KeyValue> oldest(long end, String key, int limit) {
		List<Op> looks = new ArrayList<>(
				List.of(oldest(this.keys.entries(key), limit), Op.get(this.keys.cooldown(key), GetOption.DEFAULT)));
		int firstUnknown = looks.size();
		looks.addAll(EtcdQueueLooks.unknown(this.keys, key));
		return this.requests.commit(end, EtcdTxn.of(looks)).thenCompose((answer) -> {
			List<GetResponse> shown = answer.getGetResponses();
			List<KeyValue> entries = shown.get(0).getKvs();
			List<KeyValue> unknown = new ArrayList<>();
			shown.subList(firstUnknown, shown.size()).forEach((found) -> unknown.addAll(found.getKvs()));
			entries.stream().limit(1).filter((entry) -> EtcdEntryValue.of(entry).isEmpty()).forEach(unknown::add);
			if (!unknown.isEmpty()) {
				throw new CompletionException(EtcdFaults.notUnderstood(key, unknown.get(0)));
			}
			if (entries.isEmpty() || !shown.get(1).getKvs().isEmpty()) {
				return CompletableFuture.completedStage(null);
			}
			List<KeyValue> holders = among(entries);
			if (holders.isEmpty() && limit < CHUNK && shown.get(0).isMore()) {
				return oldest(end, key, CHUNK);
			}
			return CompletableFuture.completedStage(holders.isEmpty() ? null : holders.get(0));
		});
	}

	private static Op oldest(EtcdKeys.Range entries, int limit) {
		return Op.get(entries.from(),
				EtcdLockQueue.within(entries)
					.withSortField(SortTarget.CREATE)
					.withSortOrder(SortOrder.ASCEND)
					.withLimit(limit)
					.build());
	}

	/**
	 * Return those of the entries in a queue that hold the lock, the oldest first. A
	 * member of a group that is only kept for its cooldown takes a place, but does not
	 * hold the lock any more.
	 * @param entries all entries, or the oldest
	 */
	static List<KeyValue> among(List<KeyValue> entries) {
		List<KeyValue> holders = new ArrayList<>();
		LockMode mode = null;
		int before = 0;
		for (KeyValue entry : entries.stream().sorted(Comparator.comparing(KeyValue::getCreateRevision)).toList()) {
			EtcdEntryValue value = EtcdEntryValue.of(entry).orElse(null);
			LockMode own = EtcdKeys.modeOf(entry.getKey());
			if (value == null || own == null || before > 0 && (own == LockMode.EXCLUSIVE || own != mode)) {
				break;
			}
			mode = own;
			if (!value.isCooling() && before < value.allowedMembers(own)) {
				holders.add(entry);
			}
			before++;
		}
		return holders;
	}

}
