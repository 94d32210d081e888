package io.distributedlock.backend.etcd;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.etcd.jetcd.KeyValue;
import io.etcd.jetcd.kv.GetResponse;
import io.etcd.jetcd.op.Op;
import io.etcd.jetcd.options.GetOption;
import io.etcd.jetcd.options.GetOption.SortOrder;
import io.etcd.jetcd.options.GetOption.SortTarget;

import io.distributedlock.LockMode;
import io.distributedlock.backend.etcd.EtcdKeys.Range;
import io.distributedlock.backend.etcd.EtcdQueueSnapshot.SessionSeen;
import io.distributedlock.spi.LockTarget;

/**
 * Looks at what stands before an entry that waits.
 *
 * @param requests sends requests
 * @param keys the names of keys
 */
record EtcdQueueLooks(EtcdRequests requests, EtcdKeys keys) {

	/**
	 * The index of the first answer about names that have no meaning for this version.
	 */
	private static final int FIRST_UNKNOWN = 3;

	private static final int UNKNOWN_RANGES = 4;

	private static final int FIRST_ENTRIES = FIRST_UNKNOWN + UNKNOWN_RANGES;

	/**
	 * How many members of a group a look shows at most.
	 */
	private static final int MEMBERS = 1_000;

	/**
	 * Look whether an entry still exists, and what stands before it.
	 * @param end when etcd must have answered
	 * @param permits the number of permits that are requested
	 * @param sessions the revisions at which to look for sessions, zero for that of the
	 * look
	 */
	CompletionStage<EtcdQueueSnapshot> look(long end, EtcdQueueEntry entry, int permits, Map<Long, Long> sessions) {
		return look(end, entry, permits, sessions, entry.target().isGroup() ? MEMBERS : 1);
	}

	private CompletionStage<EtcdQueueSnapshot> look(long end, EtcdQueueEntry entry, int permits,
			Map<Long, Long> sessions, int limit) {
		LockTarget target = entry.target();
		String key = target.key();
		List<Op> looks = new ArrayList<>(List.of(EtcdLockQueue.own(entry),
				Op.get(this.keys.cooldown(key), GetOption.DEFAULT), Op.get(this.keys.tick(key), GetOption.DEFAULT)));
		looks.addAll(unknown(this.keys, key));
		List<Range> ranges = this.keys.before(target, this.keys.entries(key));
		ranges.forEach((range) -> looks.add(newest(range, entry.revision() - 1, limit)));
		// At the very revision at which an entry was deleted, since the end of a session
		// deletes all its keys at once.
		sessions.forEach((lease, revision) -> looks.add(Op.get(this.keys.session(lease),
				GetOption.builder().withKeysOnly(true).withRevision(revision).build())));
		return this.requests.commit(end, EtcdTxn.of(looks)).thenCompose((answer) -> {
			List<GetResponse> shown = answer.getGetResponses();
			GetResponse own = (target.mode() == LockMode.PERMITS) ? shown.get(FIRST_ENTRIES) : null;
			int firstSession = FIRST_ENTRIES + ranges.size();
			List<GetResponse> around = shown.subList((own != null) ? FIRST_ENTRIES + 1 : FIRST_ENTRIES, firstSession);
			List<KeyValue> others = around.stream().flatMap((found) -> found.getKvs().stream()).toList();
			EtcdQueueAhead ahead = EtcdQueueAhead.of(this.keys, target, others, EtcdLockQueue.only(shown.get(1)));
			if (limit == 1 && around.get(0).isMore() && ahead.seen().get(0).isMember()) {
				// An exclusive entry waits for all members of the group.
				return look(end, entry, permits, sessions, MEMBERS);
			}
			KeyValue unknown = shown.subList(FIRST_UNKNOWN, FIRST_ENTRIES)
				.stream()
				.flatMap((found) -> found.getKvs().stream())
				.findFirst()
				.orElseGet(() -> EtcdQueueAhead.notUnderstood(others, own));
			EtcdQueueSnapshot snapshot = new EtcdQueueSnapshot(answer.getHeader().getRevision(),
					EtcdLockQueue.revisionOfOwn(answer), ahead, EtcdLockQueue.only(shown.get(2)), unknown,
					sessions(sessions, shown.subList(firstSession, shown.size())));
			return (own == null || ahead.isInTheWay()) ? CompletableFuture.completedStage(snapshot)
					: permitsBefore(end, entry, permits, List.of(), own).thenApply(snapshot::withAhead);
		});
	}

	/**
	 * Add up the permits before an entry, in further requests if they are very many.
	 * Since entries before it can only go, it does not matter that they are read one
	 * after the other.
	 * @param before the entries that were shown before
	 * @param shown the next newest
	 */
	private CompletionStage<EtcdQueueAhead> permitsBefore(long end, EtcdQueueEntry entry, int permits,
			List<KeyValue> before, GetResponse shown) {
		LockTarget target = entry.target();
		List<KeyValue> all = new ArrayList<>(before);
		all.addAll(shown.getKvs());
		if (!shown.isMore() || all.size() >= permits) {
			return CompletableFuture
				.completedStage(EtcdQueueAhead.ofPermits(this.keys, target, all, all.size(), permits));
		}
		long oldest = all.get(all.size() - 1).getCreateRevision();
		return this.requests
			.commit(end,
					EtcdTxn.of(List.of(newest(this.keys.members(target.key(), target.mode()), oldest - 1, MEMBERS))))
			.thenCompose((answer) -> permitsBefore(end, entry, permits, all, answer.getGetResponses().get(0)));
	}

	private static Map<Long, SessionSeen> sessions(Map<Long, Long> asked, List<GetResponse> shown) {
		if (asked.isEmpty()) {
			return Map.of();
		}
		Map<Long, SessionSeen> sessions = new HashMap<>();
		int i = 0;
		for (Map.Entry<Long, Long> session : asked.entrySet()) {
			sessions.put(session.getKey(),
					new SessionSeen(session.getValue(), EtcdLockQueue.only(shown.get(i++)) != null));
		}
		return sessions;
	}

	/**
	 * Look for names below a key that have no meaning for this version.
	 */
	static List<Op> unknown(EtcdKeys keys, String key) {
		return keys.unknown(key)
			.stream()
			.<Op>map((range) -> Op.get(range.from(),
					EtcdLockQueue.within(range).withKeysOnly(true).withLimit(1).build()))
			.toList();
	}

	private static Op newest(Range range, long maxCreateRevision, int limit) {
		return Op.get(range.from(),
				EtcdLockQueue.within(range)
					.withSortField(SortTarget.CREATE)
					.withSortOrder(SortOrder.DESCEND)
					.withMaxCreateRevision(maxCreateRevision)
					.withLimit(limit)
					.build());
	}

}
