package io.distributedlock.backend.etcd;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
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
 * Looks at what stands before an entry that waits, in the queues for all of its keys.
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
	CompletionStage<EtcdLook> look(long end, EtcdQueueEntry entry, int permits, Map<Long, Long> sessions) {
		return look(end, entry, permits, sessions, Set.of());
	}

	/**
	 * Look in one transaction.
	 * @param behindGroups the exclusive places before which all members of a group are
	 * looked for, and not only the newest place
	 */
	private CompletionStage<EtcdLook> look(long end, EtcdQueueEntry entry, int permits, Map<Long, Long> sessions,
			Set<EtcdPlace> behindGroups) {
		List<EtcdPlace> places = entry.places();
		List<Op> looks = new ArrayList<>();
		for (EtcdPlace place : places) {
			boolean all = place.target().isGroup() || behindGroups.contains(place);
			looks.addAll(looks(place, entry.revision(), all ? MEMBERS : 1));
		}
		int firstSession = looks.size();
		// At the very revision at which an entry was deleted, since the end of a session
		// deletes all its keys at once.
		sessions.forEach((lease, revision) -> looks.add(Op.get(this.keys.session(lease),
				GetOption.builder().withKeysOnly(true).withRevision(revision).build())));
		return this.requests.commit(end, EtcdTxn.of(looks)).thenCompose((answer) -> {
			List<GetResponse> shown = EtcdTxn.shown(answer);
			Map<Long, SessionSeen> seen = sessions(sessions, shown.subList(firstSession, shown.size()));
			int each = firstSession / places.size();
			List<EtcdQueueSnapshot> queues = new ArrayList<>(places.size());
			Set<EtcdPlace> groups = new HashSet<>(behindGroups);
			for (int i = 0; i < places.size(); i++) {
				List<GetResponse> part = shown.subList(i * each, (i + 1) * each);
				EtcdQueueSnapshot queue = snapshot(places.get(i), answer.getHeader().getRevision(), part, seen);
				queues.add(queue);
				if (isBehindGroup(places.get(i), queue, part)) {
					groups.add(places.get(i));
				}
			}
			if (groups.size() > behindGroups.size()) {
				return look(end, entry, permits, sessions, groups);
			}
			EtcdLook look = new EtcdLook(queues);
			return (entry.target().mode() != LockMode.PERMITS || look.isInTheWay())
					? CompletableFuture.completedStage(look)
					: permitsBefore(end, entry, permits, List.of(), shown.get(FIRST_ENTRIES))
						.thenApply((ahead) -> new EtcdLook(List.of(look.last().withAhead(ahead))));
		});
	}

	private List<Op> looks(EtcdPlace place, long revision, int limit) {
		String key = place.key();
		List<Op> looks = new ArrayList<>(List.of(EtcdLockQueue.own(place),
				Op.get(this.keys.cooldown(key), GetOption.DEFAULT), Op.get(this.keys.tick(key), GetOption.DEFAULT)));
		looks.addAll(unknown(this.keys, key));
		this.keys.before(place.target(), this.keys.entries(key))
			.forEach((range) -> looks.add(newest(range, revision - 1, limit)));
		return looks;
	}

	/**
	 * Return whether an exclusive entry waits for a group of which only one member was
	 * shown. It waits for all of them.
	 */
	private static boolean isBehindGroup(EtcdPlace place, EtcdQueueSnapshot queue, List<GetResponse> shown) {
		return !place.target().isGroup() && shown.get(FIRST_ENTRIES).isMore() && queue.ahead().seen().get(0).isMember();
	}

	private EtcdQueueSnapshot snapshot(EtcdPlace place, long revision, List<GetResponse> shown,
			Map<Long, SessionSeen> sessions) {
		LockTarget target = place.target();
		GetResponse own = (target.mode() == LockMode.PERMITS) ? shown.get(FIRST_ENTRIES) : null;
		List<KeyValue> others = shown.subList((own != null) ? FIRST_ENTRIES + 1 : FIRST_ENTRIES, shown.size())
			.stream()
			.flatMap((found) -> found.getKvs().stream())
			.toList();
		EtcdQueueAhead ahead = EtcdQueueAhead.of(this.keys, target, others, EtcdLockQueue.only(shown.get(1)));
		KeyValue unknown = shown.subList(FIRST_UNKNOWN, FIRST_ENTRIES)
			.stream()
			.flatMap((found) -> found.getKvs().stream())
			.findFirst()
			.orElseGet(() -> EtcdQueueAhead.notUnderstood(others, own));
		return new EtcdQueueSnapshot(revision, EtcdLockQueue.revisionOf(shown.get(0)), ahead,
				EtcdLockQueue.only(shown.get(2)), unknown, sessions);
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
