package io.distributedlock.backend.etcd;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.KeyValue;
import io.etcd.jetcd.kv.GetResponse;
import io.etcd.jetcd.kv.TxnResponse;
import io.etcd.jetcd.op.Cmp;
import io.etcd.jetcd.op.CmpTarget;
import io.etcd.jetcd.op.Op;
import io.etcd.jetcd.options.DeleteOption;
import io.etcd.jetcd.options.GetOption;
import io.etcd.jetcd.options.PutOption;
import org.jspecify.annotations.Nullable;

import io.distributedlock.LockMode;
import io.distributedlock.backend.call.ManyAnswers;
import io.distributedlock.backend.etcd.EtcdKeys.Range;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockTarget;

/**
 * Puts entries into the queue for a lock and deletes them. {@link EtcdQueueAhead}
 * determines which of them hold the lock, and {@link EtcdQueueLooks} looks at those that
 * wait.
 * <p>
 * Entries are ordered by their create revision, which etcd's log gives (the recipe of
 * etcd's own concurrency package). The transaction that puts an entry there looks first,
 * so what it sees is what stands before its own. Later, entries before it can only go.
 *
 * @param requests sends requests
 * @param keys the names of keys
 */
record EtcdLockQueue(EtcdRequests requests, EtcdKeys keys) {

	/**
	 * How much the answer to a new entry shows at most of each range. An uncontended key
	 * has nothing below it but, for scheduled tasks, its tick.
	 */
	private static final int SHOWN = 8;

	/**
	 * Return an entry that is not in the queue yet.
	 */
	EtcdQueueEntry entry(LockTarget target, LeaseRequest request, EtcdSession session, Runnable wakeUp) {
		return new EtcdQueueEntry(this.keys.places(target, request.ownerId()), target, request, session, wakeUp);
	}

	/**
	 * Return the transaction that puts an entry into the queues for its keys, unless the
	 * same attempt has done so already. It first reads the names below each key that can
	 * be in its way, in as few ranges as possible, since each operation has its price
	 * also where it finds nothing. A reader does not read other readers; of permits it is
	 * enough to count them.
	 */
	EtcdTxn taking(EtcdQueueEntry entry) {
		int places = entry.places().size();
		List<Cmp> conditions = new ArrayList<>(places);
		List<Op> then = new ArrayList<>(4 * places);
		List<Op> otherwise = new ArrayList<>(places);
		ByteSequence value = entry.value().toBytes();
		PutOption attached = PutOption.builder().withLeaseId(entry.session().leaseId()).build();
		for (EtcdPlace place : entry.places()) {
			conditions.add(standsAt(place.name(), 0));
			this.keys.before(place.target(), this.keys.all(place.key()))
				.forEach((range) -> then.add(Op.get(range.from(), within(range).withLimit(SHOWN).build())));
			then.add(Op.put(place.name(), value, attached));
			otherwise.add(own(place));
		}
		return EtcdTxn.of(conditions, then, otherwise);
	}

	/**
	 * Return the create revision of the entry in the answer to {@linkplain #taking that
	 * transaction}.
	 */
	long revisionOfTaken(TxnResponse answer) {
		return answer.isSucceeded() ? answer.getHeader().getRevision()
				: EtcdTxn.shown(answer).stream().mapToLong(EtcdLockQueue::revisionOf).max().orElse(0);
	}

	/**
	 * Return the look in the answer to {@linkplain #taking that transaction}, or
	 * {@code null} if the answer does not show everything, so that another look is
	 * needed. A queue may be long, or an earlier request has put the entry there.
	 * @param permits the number of permits that are requested
	 */
	@Nullable EtcdLook taken(EtcdQueueEntry entry, int permits, TxnResponse answer) {
		if (!answer.isSucceeded()) {
			return null;
		}
		List<GetResponse> shown = EtcdTxn.shown(answer);
		List<EtcdPlace> places = entry.places();
		int ranges = shown.size() / places.size();
		List<EtcdQueueSnapshot> queues = new ArrayList<>(places.size());
		for (int i = 0; i < places.size(); i++) {
			EtcdQueueSnapshot queue = taken(places.get(i), permits, answer.getHeader().getRevision(),
					shown.subList(i * ranges, (i + 1) * ranges));
			if (queue == null) {
				return null;
			}
			queues.add(queue);
		}
		return new EtcdLook(queues);
	}

	private @Nullable EtcdQueueSnapshot taken(EtcdPlace place, int permits, long revision, List<GetResponse> shown) {
		LockTarget target = place.target();
		GetResponse own = (target.mode() == LockMode.PERMITS) ? shown.get(0) : null;
		ByteSequence queue = this.keys.queue(target.key());
		ByteSequence cooldownName = this.keys.cooldown(target.key());
		ByteSequence tickName = this.keys.tick(target.key());
		List<KeyValue> others = new ArrayList<>(0);
		KeyValue cooldown = null;
		KeyValue tick = null;
		KeyValue unknown = null;
		for (GetResponse response : (own != null) ? shown.subList(1, shown.size()) : shown) {
			if (response.isMore()) {
				return null;
			}
			for (KeyValue found : response.getKvs()) {
				if (found.getKey().startsWith(queue)) {
					others.add(found);
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
		}
		EtcdQueueAhead ahead = EtcdQueueAhead.of(this.keys, target, others, cooldown);
		if (own != null && !ahead.isInTheWay()) {
			// Nothing but the entries before it existed when these were counted.
			ahead = EtcdQueueAhead.ofPermits(this.keys, target, own.getKvs(), own.getCount(), permits);
		}
		unknown = (unknown != null) ? unknown : EtcdQueueAhead.notUnderstood(others, own);
		return new EtcdQueueSnapshot(revision, revision, ahead, tick, unknown, Map.of());
	}

	static Op own(EtcdPlace place) {
		return Op.get(place.name(), GetOption.builder().withKeysOnly(true).build());
	}

	/**
	 * Commit operations that end the lease of an entry, if all its places are still those
	 * that were put there, and not kept for their cooldowns. Of an entry that has lost
	 * one of several places, the others are deleted.
	 * @param end when etcd must have answered
	 */
	CompletableFuture<EtcdRequests.CountedAnswer> ifHeld(long end, List<EtcdPlace> places, long revision,
			List<Op> then) {
		List<Cmp> conditions = places.stream().map((place) -> isHeld(place, revision)).toList();
		List<Op> otherwise = (places.size() == 1) ? List.of()
				: places.stream().map((place) -> deleteUnlessKept(place.name())).toList();
		return this.requests.commitCounted(end, EtcdTxn.of(conditions, then, otherwise));
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
	 * Delete entries by their names, whatever their revisions are.
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
	 * Delete entries in one transaction. Each name belongs to one attempt, so only its
	 * own entry can be deleted. A member of a group that is kept for its cooldown stays.
	 */
	CompletableFuture<TxnResponse> delete(long end, List<ByteSequence> names) {
		return this.requests.commit(end, EtcdTxn.of(names.stream().map(EtcdLockQueue::deleteUnlessKept).toList()));
	}

	private static Op deleteUnlessKept(ByteSequence name) {
		Op delete = Op.delete(name, DeleteOption.DEFAULT);
		return (EtcdKeys.modeOf(name) == LockMode.EXCLUSIVE) ? delete
				: Op.txn(new Cmp[] { isNotKept(name) }, new Op[] { delete }, new Op[0]);
	}

	/**
	 * The entry of a group is written once more when it is only kept for its cooldown.
	 */
	private static Cmp isNotKept(ByteSequence name) {
		return new Cmp(name, Cmp.Op.EQUAL, CmpTarget.version(1));
	}

	/**
	 * The entry of a group is written once more, at another revision, when it is only
	 * kept for its cooldown.
	 */
	private static Cmp isHeld(EtcdPlace place, long revision) {
		return place.target().isGroup() ? new Cmp(place.name(), Cmp.Op.EQUAL, CmpTarget.modRevision(revision))
				: standsAt(place.name(), revision);
	}

	static Cmp standsAt(ByteSequence name, long revision) {
		return new Cmp(name, Cmp.Op.EQUAL, CmpTarget.createRevision(revision));
	}

	static GetOption.Builder within(Range range) {
		return GetOption.builder().withRange(range.to());
	}

	static @Nullable KeyValue only(GetResponse shown) {
		return shown.getKvs().isEmpty() ? null : shown.getKvs().get(0);
	}

	static long revisionOf(GetResponse shown) {
		KeyValue entry = only(shown);
		return (entry != null) ? entry.getCreateRevision() : 0;
	}

}
