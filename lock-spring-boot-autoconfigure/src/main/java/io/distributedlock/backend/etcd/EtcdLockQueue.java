package io.distributedlock.backend.etcd;

import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.KeyValue;
import io.etcd.jetcd.kv.GetResponse;
import io.etcd.jetcd.kv.TxnResponse;
import io.etcd.jetcd.op.Cmp;
import io.etcd.jetcd.op.CmpTarget;
import io.etcd.jetcd.op.Op;
import io.etcd.jetcd.options.DeleteOption;
import io.etcd.jetcd.options.GetOption;
import io.etcd.jetcd.options.GetOption.SortOrder;
import io.etcd.jetcd.options.GetOption.SortTarget;
import io.etcd.jetcd.options.PutOption;
import org.jspecify.annotations.Nullable;

import io.distributedlock.backend.call.ManyAnswers;
import io.distributedlock.backend.etcd.EtcdKeys.Kind;
import io.distributedlock.backend.etcd.EtcdKeys.Range;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockTarget;

/**
 * Puts entries into the queue for a lock, looks at them and deletes them. The first entry
 * holds the lock.
 * <p>
 * Entries are ordered by their create revision, which etcd's log gives (the recipe of
 * etcd's own concurrency package). The transaction that puts an entry there looks first,
 * so the newest entry that it sees is the one before its own.
 *
 * @param requests sends requests
 * @param keys the names of keys
 */
record EtcdLockQueue(EtcdRequests requests, EtcdKeys keys) {

	/**
	 * The kinds of entries that a waiter waits for.
	 */
	private static final Set<Kind> WAITED_FOR = EnumSet.of(Kind.ENTRY, Kind.GROUP_ENTRY);

	/**
	 * The index of the first answer about names that have no meaning for this version.
	 */
	private static final int FIRST_UNKNOWN = 4;

	private static final int UNKNOWN_RANGES = 4;

	/**
	 * How much the answer to a new entry shows at most. An uncontended key has nothing
	 * below it but, for scheduled tasks, its tick.
	 */
	private static final int SHOWN = 8;

	/**
	 * Return an entry that is not in the queue yet.
	 */
	EtcdQueueEntry entry(LockTarget target, LeaseRequest request, EtcdSession session, Runnable wakeUp) {
		return new EtcdQueueEntry(this.keys.entry(target.key(), request.ownerId()), target, request, session, wakeUp);
	}

	/**
	 * Return the transaction that puts an entry into the queue, unless the same attempt
	 * has done so already. It first reads the names below the key in one range, since
	 * each operation has its price also where it finds nothing.
	 */
	EtcdTxn taking(EtcdQueueEntry entry) {
		Range all = this.keys.all(entry.target().key());
		Op look = Op.get(all.from(), GetOption.builder().withRange(all.to()).withLimit(SHOWN).build());
		Op put = Op.put(entry.name(), entry.session().value(entry.span()).toBytes(),
				PutOption.builder().withLeaseId(entry.session().leaseId()).build());
		return new EtcdTxn(List.of(standsAt(entry.name(), 0)), List.of(look, put), List.of(own(entry)));
	}

	/**
	 * Return the create revision of the entry in the answer to {@linkplain #taking that
	 * transaction}.
	 */
	long revisionOfTaken(TxnResponse answer) {
		return answer.isSucceeded() ? answer.getHeader().getRevision() : revisionOfOwn(answer);
	}

	/**
	 * Return the snapshot in the answer to {@linkplain #taking that transaction}, or
	 * {@code null} if the answer does not show everything, so that another look is
	 * needed. The queue may be long, or an earlier request has put the entry there.
	 */
	@Nullable EtcdQueueSnapshot taken(EtcdQueueEntry entry, TxnResponse answer) {
		if (!answer.isSucceeded() || answer.getGetResponses().get(0).isMore()) {
			return null;
		}
		String key = entry.target().key();
		ByteSequence queue = this.keys.queue(key);
		ByteSequence cooldownName = this.keys.cooldown(key);
		ByteSequence tickName = this.keys.tick(key);
		KeyValue before = null;
		KeyValue cooldown = null;
		KeyValue tick = null;
		KeyValue unknown = null;
		for (KeyValue found : answer.getGetResponses().get(0).getKvs()) {
			if (found.getKey().startsWith(queue)) {
				before = (before == null || found.getCreateRevision() > before.getCreateRevision()) ? found : before;
			}
			else if (found.getKey().equals(cooldownName)) {
				cooldown = found;
			}
			else if (found.getKey().equals(tickName)) {
				tick = found;
			}
			else {
				unknown = (unknown != null) ? unknown : found;
			}
		}
		unknown = (unknown != null) ? unknown : notUnderstood(before, WAITED_FOR);
		return new EtcdQueueSnapshot(answer.getHeader().getRevision(), revisionOfTaken(answer),
				predecessor(before, cooldown), tick, unknown, false);
	}

	private static @Nullable EtcdPredecessor predecessor(@Nullable KeyValue before, @Nullable KeyValue cooldown) {
		if (before != null) {
			return EtcdPredecessor.entry(before);
		}
		return (cooldown != null) ? EtcdPredecessor.cooldown(cooldown) : null;
	}

	private static Op own(EtcdQueueEntry entry) {
		return Op.get(entry.name(), GetOption.builder().withKeysOnly(true).build());
	}

	/**
	 * Look whether an entry still exists, and which entry is before it.
	 * @param end when etcd must have answered
	 * @param gone the predecessor at the last look, or {@code null}
	 */
	CompletionStage<EtcdQueueSnapshot> look(long end, EtcdQueueEntry entry, @Nullable EtcdPredecessor gone) {
		String key = entry.target().key();
		List<Op> looks = new ArrayList<>(List.of(own(entry), newest(this.keys.queue(key), entry.revision() - 1),
				Op.get(this.keys.cooldown(key), GetOption.DEFAULT), Op.get(this.keys.tick(key), GetOption.DEFAULT)));
		looks.addAll(unknown(key));
		if (gone != null && gone.isEntry()) {
			// At the very revision of its deletion, since the end of a session deletes
			// all its keys at once.
			looks.add(Op.get(this.keys.session(gone.leaseId()),
					GetOption.builder().withKeysOnly(true).withRevision(gone.goneAt()).build()));
		}
		return this.requests.commit(end, EtcdTxn.of(looks)).thenApply((answer) -> {
			List<GetResponse> shown = answer.getGetResponses();
			int session = FIRST_UNKNOWN + UNKNOWN_RANGES;
			boolean vanished = shown.size() > session && only(shown.get(session)) == null;
			KeyValue before = only(shown.get(1));
			return new EtcdQueueSnapshot(answer.getHeader().getRevision(), revisionOfOwn(answer),
					predecessor(before, only(shown.get(2))), only(shown.get(3)),
					notUnderstood(shown, FIRST_UNKNOWN, before, WAITED_FOR), vanished);
		});
	}

	/**
	 * Delete an entry, if it is still the one that was put there.
	 * @param end when etcd must have answered
	 * @param after further operations in that case
	 */
	CompletableFuture<EtcdRequests.CountedAnswer> leave(long end, ByteSequence entry, long revision, List<Op> after) {
		List<Op> then = new ArrayList<>(List.of(Op.delete(entry, DeleteOption.DEFAULT)));
		then.addAll(after);
		return this.requests.commitCounted(end, new EtcdTxn(List.of(standsAt(entry, revision)), then, List.of()));
	}

	/**
	 * Delete an entry by its name, and compare afterward whether it was the one that was
	 * put there. Only for entries of this JVM whose attempt has ended: nothing else than
	 * a late request of that attempt may have put another one there, and that one has to
	 * go as well. Etcd answers this faster than the transaction that compares first.
	 */
	CompletableFuture<EtcdRequests.CountedAnswer> leave(long end, ByteSequence entry, long revision) {
		return this.requests.deleteCounted(end, entry, revision);
	}

	/**
	 * Delete keys by their names, whatever their revisions are.
	 */
	CompletableFuture<Void> deleteAll(Collection<ByteSequence> names) {
		List<ByteSequence> distinct = names.stream().distinct().toList();
		return ManyAnswers
			.join(ManyAnswers.chunks(distinct, EtcdTxn.BATCH)
				.stream()
				.map((batch) -> delete(this.requests.defaultEnd(), batch)))
			.thenAccept((answers) -> {
			});
	}

	/**
	 * Delete keys in one transaction. Each name belongs to one attempt, so only its own
	 * entry can be deleted.
	 */
	CompletableFuture<TxnResponse> delete(long end, List<ByteSequence> names) {
		return this.requests.commit(end,
				EtcdTxn.of(names.stream().<Op>map((name) -> Op.delete(name, DeleteOption.DEFAULT)).toList()));
	}

	/**
	 * Return the entry of the holder. Fails if the key is taken by a group, or by an
	 * entry that this version does not understand.
	 */
	CompletionStage<@Nullable KeyValue> holder(long end, String key) {
		List<Op> looks = new ArrayList<>(
				List.of(oldest(this.keys.queue(key)), Op.get(this.keys.cooldown(key), GetOption.DEFAULT)));
		int firstUnknown = looks.size();
		looks.addAll(unknown(key));
		return this.requests.commit(end, EtcdTxn.of(looks)).thenApply((answer) -> {
			List<GetResponse> shown = answer.getGetResponses();
			KeyValue oldest = only(shown.get(0));
			KeyValue unknown = notUnderstood(shown, firstUnknown, oldest, EnumSet.of(Kind.ENTRY));
			if (unknown != null) {
				throw new CompletionException(EtcdFaults.notUnderstood(key, unknown));
			}
			return (only(shown.get(1)) == null) ? oldest : null;
		});
	}

	boolean isOfThisVersion(KeyValue entry) {
		return isOneOf(entry, EnumSet.of(Kind.ENTRY));
	}

	/**
	 * Return whether an entry is of one of the given kinds, with a value that this
	 * version knows how to wait for.
	 */
	private boolean isOneOf(KeyValue entry, Set<Kind> kinds) {
		return EtcdEntryValue.parse(entry.getValue()).isPresent()
				&& this.keys.parse(entry.getKey()).filter((named) -> kinds.contains(named.kind())).isPresent();
	}

	static Cmp standsAt(ByteSequence name, long revision) {
		return new Cmp(name, Cmp.Op.EQUAL, CmpTarget.createRevision(revision));
	}

	/**
	 * Look for names below a key that have no meaning for this version.
	 */
	private List<Op> unknown(String key) {
		return this.keys.unknown(key)
			.stream()
			.<Op>map((range) -> Op.get(range.from(),
					GetOption.builder().withRange(range.to()).withKeysOnly(true).withLimit(1).build()))
			.toList();
	}

	/**
	 * Return the first entry in the answers that has no meaning for this version.
	 * @param from the index of the first answer about such entries
	 * @param before an entry in the queue
	 * @param kinds the kinds of entries that have a meaning there
	 */
	private @Nullable KeyValue notUnderstood(List<GetResponse> shown, int from, @Nullable KeyValue before,
			Set<Kind> kinds) {
		return shown.subList(from, from + UNKNOWN_RANGES)
			.stream()
			.flatMap((found) -> found.getKvs().stream())
			.findFirst()
			.orElseGet(() -> notUnderstood(before, kinds));
	}

	private @Nullable KeyValue notUnderstood(@Nullable KeyValue before, Set<Kind> kinds) {
		return (before != null && !isOneOf(before, kinds)) ? before : null;
	}

	private static Op oldest(ByteSequence prefix) {
		return Op.get(prefix, first(SortOrder.ASCEND).build());
	}

	private static Op newest(ByteSequence prefix, long maxCreateRevision) {
		return Op.get(prefix, first(SortOrder.DESCEND).withMaxCreateRevision(maxCreateRevision).build());
	}

	private static GetOption.Builder first(SortOrder order) {
		return GetOption.builder().isPrefix(true).withSortField(SortTarget.CREATE).withSortOrder(order).withLimit(1);
	}

	static @Nullable KeyValue only(GetResponse shown) {
		return shown.getKvs().isEmpty() ? null : shown.getKvs().get(0);
	}

	private static long revisionOfOwn(TxnResponse answer) {
		KeyValue own = only(answer.getGetResponses().get(0));
		return (own != null) ? own.getCreateRevision() : 0;
	}

}
