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

import io.distributedlock.LockUnavailableException;
import io.distributedlock.backend.etcd.EtcdKeys.Kind;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockTarget;

/**
 * The line for a lock, which is had by whoever stands first: the transactions by which a
 * place is taken, looked after and given up, and what their answers show.
 * <p>
 * Places are ordered by their create revision, which etcd's log gives (the recipe of
 * etcd's own concurrency package). The transaction that takes a place looks before it
 * puts, so that the newest that it sees is who stands before.
 */
final class EtcdLockQueue {

	/**
	 * Where the answers begin to what has no meaning for this version.
	 */
	private static final int FIRST_UNKNOWN = 4;

	private static final int UNKNOWN_RANGES = 4;

	private final EtcdRequests requests;

	private final EtcdKeys keys;

	EtcdLockQueue(EtcdRequests requests, EtcdKeys keys) {
		this.requests = requests;
		this.keys = keys;
	}

	/**
	 * Return an entry that is not in the queue yet.
	 */
	Place entry(LockTarget target, LeaseRequest request, EtcdSession session, Runnable wakeUp) {
		return new Place(this.keys.place(target.key(), request.ownerId()), target, request, session, wakeUp);
	}

	/**
	 * Take a place, unless the same attempt has taken it already.
	 * @param end when etcd must have answered
	 */
	CompletionStage<View> take(long end, Place place) {
		String key = place.target().key();
		ByteSequence line = this.keys.line(key);
		Cmp absent = new Cmp(place.name(), Cmp.Op.EQUAL, CmpTarget.createRevision(0));
		Op put = Op.put(place.name(), place.value().toBytes(),
				PutOption.builder().withLeaseId(place.session().leaseId()).build());
		Transaction taking = new Transaction(List.of(absent), looks(place, newest(line, 1, 0), List.of(put)),
				looks(place, oldest(line), List.of()));
		return this.requests.call(end, () -> put(place, taking)).thenApply((answer) -> taken(place, answer));
	}

	private CompletionStage<TxnResponse> put(Place place, Transaction taking) {
		if (!place.ask()) {
			return CompletableFuture.failedStage(new LockUnavailableException("The place was given up"));
		}
		return this.requests.link().commit(taking).whenComplete((answer, fault) -> {
			if (EtcdFaults.isAnswer(fault)) {
				place.answered();
			}
		});
	}

	private List<Op> looks(Place place, Op neighbour, List<Op> more) {
		String key = place.target().key();
		List<Op> looks = new ArrayList<>(
				List.of(Op.get(place.name(), keysOnly()), neighbour, cooldown(key), tick(key)));
		looks.addAll(unknown(key));
		looks.addAll(more);
		return looks;
	}

	private View taken(Place place, TxnResponse answer) {
		long own = answer.isSucceeded() ? answer.getHeader().getRevision()
				: createRevision(only(answer.getGetResponses().get(0)));
		return view(place, answer, own, false);
	}

	private View view(Place place, TxnResponse answer, long own, boolean vanished) {
		List<GetResponse> shown = answer.getGetResponses();
		KeyValue before = other(shown.get(1), place);
		KeyValue unknown = firstOf(shown, FIRST_UNKNOWN);
		if (unknown == null && before != null && !isOneOf(before, EnumSet.of(Kind.PLACE, Kind.GROUP))) {
			unknown = before;
		}
		return new View(answer.getHeader().getRevision(), own, before, only(shown.get(2)), only(shown.get(3)), unknown,
				vanished);
	}

	/**
	 * Look whether a place still stands, and who stands before it.
	 * @param end when etcd must have answered
	 * @param gone who stood before it when it was last looked at, if anybody
	 */
	CompletionStage<View> look(long end, Place place, @Nullable Obstacle gone) {
		List<Op> looks = looks(place, newest(this.keys.line(place.target().key()), 1, place.revision() - 1), List.of());
		if (gone != null && gone.isPlace()) {
			// At the very revision of its end: a session that ended takes all it has with
			// it.
			looks.add(Op.get(this.keys.session(gone.leaseId()),
					GetOption.builder().withKeysOnly(true).withRevision(gone.goneAt()).build()));
		}
		return this.requests.commit(end, Transaction.of(looks)).thenApply((answer) -> seen(place, answer));
	}

	private View seen(Place place, TxnResponse answer) {
		List<GetResponse> shown = answer.getGetResponses();
		int session = FIRST_UNKNOWN + UNKNOWN_RANGES;
		boolean vanished = shown.size() > session && only(shown.get(session)) == null;
		return view(place, answer, createRevision(only(shown.get(0))), vanished);
	}

	/**
	 * Give up a place, if it is still the one that was taken.
	 * @param end when etcd must have answered
	 * @param after what else is done then
	 */
	CompletableFuture<EtcdRequests.CountedAnswer> leave(long end, ByteSequence place, long revision, List<Op> after) {
		List<Op> then = new ArrayList<>(List.of(Op.delete(place, DeleteOption.DEFAULT)));
		then.addAll(after);
		return this.requests.commitCounted(end, new Transaction(List.of(standsAt(place, revision)), then, List.of()));
	}

	/**
	 * Delete keys by their names, whatever they are.
	 */
	CompletableFuture<Void> deleteAll(Collection<ByteSequence> names) {
		List<ByteSequence> distinct = names.stream().distinct().toList();
		List<CompletableFuture<TxnResponse>> sent = new ArrayList<>();
		for (int from = 0; from < distinct.size(); from += Transaction.BATCH) {
			int to = Math.min(from + Transaction.BATCH, distinct.size());
			sent.add(delete(this.requests.defaultEnd(), distinct.subList(from, to)));
		}
		return CompletableFuture.allOf(sent.toArray(CompletableFuture[]::new));
	}

	/**
	 * Delete keys in one transaction. A name is that of one attempt, so that nothing else
	 * can be meant.
	 */
	CompletableFuture<TxnResponse> delete(long end, List<ByteSequence> names) {
		return this.requests.commit(end,
				Transaction.of(names.stream().<Op>map((name) -> Op.delete(name, DeleteOption.DEFAULT)).toList()));
	}

	/**
	 * Return the place of the holder. Fails if something is there that this version does
	 * not understand, or a group.
	 */
	CompletionStage<@Nullable KeyValue> holder(long end, String key) {
		List<Op> looks = new ArrayList<>(List.of(oldest(this.keys.line(key)), cooldown(key)));
		int firstUnknown = looks.size();
		looks.addAll(unknown(key));
		return this.requests.commit(end, Transaction.of(looks))
			.thenApply(TxnResponse::getGetResponses)
			.thenApply((shown) -> {
				KeyValue unknown = firstOf(shown, firstUnknown);
				KeyValue oldest = only(shown.get(0));
				if (unknown == null && oldest != null && !isOfThisVersion(oldest)) {
					unknown = oldest;
				}
				if (unknown != null) {
					throw new CompletionException(EtcdFaults.notUnderstood(key, unknown));
				}
				return (only(shown.get(1)) == null) ? oldest : null;
			});
	}

	boolean isOfThisVersion(KeyValue place) {
		return isOneOf(place, EnumSet.of(Kind.PLACE));
	}

	/**
	 * Return whether an entry is of a kind that this version knows, with a value that it
	 * knows how to wait for.
	 */
	private boolean isOneOf(KeyValue entry, Set<Kind> kinds) {
		return PlaceValue.parse(entry.getValue()).isPresent()
				&& this.keys.parse(entry.getKey()).filter((named) -> kinds.contains(named.kind())).isPresent();
	}

	static Cmp standsAt(ByteSequence name, long revision) {
		return new Cmp(name, Cmp.Op.EQUAL, CmpTarget.createRevision(revision));
	}

	private Op cooldown(String key) {
		return Op.get(this.keys.cooldown(key), GetOption.DEFAULT);
	}

	private Op tick(String key) {
		return Op.get(this.keys.tick(key), GetOption.DEFAULT);
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
	 * Return the first entry that was found by the looks from a position on.
	 */
	private static @Nullable KeyValue firstOf(List<GetResponse> shown, int from) {
		for (GetResponse found : shown.subList(from, from + UNKNOWN_RANGES)) {
			if (!found.getKvs().isEmpty()) {
				return only(found);
			}
		}
		return null;
	}

	private static Op oldest(ByteSequence line) {
		return Op.get(line, ordered(SortOrder.ASCEND, 1).build());
	}

	private static Op newest(ByteSequence line, int limit, long maxCreateRevision) {
		return Op.get(line, ordered(SortOrder.DESCEND, limit).withMaxCreateRevision(maxCreateRevision).build());
	}

	private static GetOption.Builder ordered(SortOrder order, int limit) {
		return GetOption.builder()
			.isPrefix(true)
			.withSortField(SortTarget.CREATE)
			.withSortOrder(order)
			.withLimit(limit);
	}

	private static GetOption keysOnly() {
		return GetOption.builder().withKeysOnly(true).build();
	}

	private static @Nullable KeyValue other(GetResponse shown, Place place) {
		for (KeyValue entry : shown.getKvs()) {
			if (!entry.getKey().equals(place.name())) {
				return entry;
			}
		}
		return null;
	}

	static @Nullable KeyValue only(GetResponse shown) {
		return shown.getKvs().isEmpty() ? null : shown.getKvs().get(0);
	}

	private static long createRevision(@Nullable KeyValue entry) {
		return (entry != null) ? entry.getCreateRevision() : 0;
	}

}
