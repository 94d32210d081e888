package io.distributedlock.backend.redlock;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;

import org.jspecify.annotations.Nullable;

import io.distributedlock.LockMode;
import io.distributedlock.backend.redlock.NodeMembers.HeldMember;
import io.distributedlock.backend.redlock.NodeSession.HeldLock;
import io.distributedlock.backend.redlock.NodeSession.ReleaseRequest;
import io.distributedlock.backend.redlock.NodeSession.VoteRequest;
import io.distributedlock.backend.scan.KeyBatch;

/**
 * Models a node with its scripts: each method is one script. Callers must run them one at
 * a time.
 */
class NodeModel {

	static final String COOLDOWN = "cooldown";

	// Marks are written ahead, so that most acquisitions need not write them.
	private static final long MARK_AHEAD = 100_000;

	private static final long DAY = 86_400_000;

	private final LongSupplier micros;

	@Nullable String state;

	NodeHighWaterMark mark = NodeHighWaterMark.NONE;

	final Map<String, Stored<String>> locks = new HashMap<>();

	final Map<String, Stored<Counter>> counters = new HashMap<>();

	final Map<String, Stored<Boolean>> waiting = new HashMap<>();

	final GroupModel groups = newGroups();

	// Keys that scripts have published, until they are read.
	final List<String> published = new ArrayList<>();

	int acks;

	int lows;

	int reinstalls;

	NodeModel(LongSupplier micros) {
		this.micros = micros;
	}

	GroupModel newGroups() {
		return new GroupModel(this);
	}

	final long micros() {
		return this.micros.getAsLong();
	}

	final long millis() {
		return Math.floorDiv(micros(), 1000L);
	}

	/**
	 * Forget everything, as FLUSHALL or an empty disk does.
	 */
	void wipe() {
		this.state = null;
		this.mark = NodeHighWaterMark.NONE;
		this.locks.clear();
		this.counters.clear();
		this.waiting.clear();
		this.groups.wipe();
	}

	/**
	 * Take over the data of another model, as if an older file on the disk were loaded.
	 */
	void restore(NodeModel older) {
		wipe();
		this.state = older.state;
		this.mark = older.mark;
		this.locks.putAll(older.locks);
		this.counters.putAll(older.counters);
		this.groups.restore(older.groups);
	}

	final @Nullable String lock(String key) {
		return present(this.locks, key);
	}

	final <V> @Nullable V present(Map<String, Stored<V>> all, String key) {
		Stored<V> stored = all.get(key);
		if (stored == null) {
			return null;
		}
		if (stored.expiresAt() <= millis()) {
			all.remove(key);
			return null;
		}
		return stored.value();
	}

	final void setLock(String key, String value, long ttlMillis) {
		this.locks.put(key, new Stored<>(value, millis() + ttlMillis));
	}

	final void lengthen(String key, long ttlMillis) {
		Stored<String> stored = this.locks.get(key);
		if (stored != null && stored.expiresAt() < millis() + ttlMillis) {
			setLock(key, stored.value(), ttlMillis);
		}
	}

	final @Nullable Counter counter(String key) {
		return present(this.counters, key);
	}

	final void setCounter(String key, Counter counter, long retention) {
		long keep = (counter.tick() != null) ? Math.max(retention, DAY) : retention;
		this.counters.put(key, new Stored<>(counter, counter.last() / 1000 + keep));
	}

	Optional<String> state() {
		return Optional.ofNullable(this.state);
	}

	boolean changeState(@Nullable String expected, String next, NodeHighWaterMark atLeast) {
		if (!java.util.Objects.equals(this.state, expected)) {
			return false;
		}
		this.state = next;
		this.mark = this.mark.max(atLeast);
		return true;
	}

	Optional<NodeHighWaterMark> mark(String expected) {
		return expected.equals(this.state) ? Optional.of(this.mark) : Optional.empty();
	}

	NodeVote acquire(VoteRequest request) {
		if (!request.state().equals(this.state)) {
			return new NodeVote.Quarantined();
		}
		List<String> keys = request.keys();
		int busy = -1;
		for (int i = 0; i < keys.size(); i++) {
			String holder = lock(keys.get(i));
			if (request.value().equals(holder)) {
				continue;
			}
			NodeVote refusal = (request.tick() != null && i == keys.size() - 1)
					? tickVote(request, holder, counter(keys.get(i))) : null;
			if (refusal != null) {
				return refusal;
			}
			if (holder != null && busy < 0) {
				busy = i;
			}
		}
		if (busy >= 0) {
			return busy(request, busy);
		}
		keys.forEach((key) -> keep(key, request));
		return tokenVote(request);
	}

	private NodeVote.Busy busy(VoteRequest request, int index) {
		String key = request.keys().get(index);
		mark(request, key);
		return new NodeVote.Busy(this.locks.get(key).expiresAt() - millis(), last(key), NodeVote.hash(lock(key)),
				index);
	}

	final void mark(VoteRequest request, String key) {
		if (request.markMillis() > 0) {
			this.waiting.put(key, new Stored<>(true, millis() + request.markMillis()));
		}
	}

	final long last(String key) {
		Counter counter = counter(key);
		return (counter != null) ? counter.last() : 0;
	}

	void keep(String key, VoteRequest request) {
		if (request.value().equals(lock(key))) {
			lengthen(key, request.ttlMillis());
		}
		else {
			setLock(key, request.value(), request.ttlMillis());
		}
	}

	private @Nullable NodeVote tickVote(VoteRequest request, @Nullable String holder, @Nullable Counter counter) {
		long wanted = request.tick();
		if (counter != null && counter.tick() != null && wanted <= counter.tick()) {
			if (holder != null && !holder.equals(COOLDOWN) && counter.open()) {
				Long before = counter.before();
				return (before != null && wanted <= before) ? new NodeVote.Done(before, "")
						: new NodeVote.Done(counter.tick(), NodeVote.hash(holder));
			}
			return new NodeVote.Done(counter.tick(), "");
		}
		return (wanted >= 0 && wanted <= request.tickFloor()) ? new NodeVote.Abstained() : null;
	}

	NodeVote tokenVote(VoteRequest request) {
		NodeVote.Low low = tooLow(request);
		if (low != null) {
			return low;
		}
		this.acks++;
		store(request, request.last());
		return new NodeVote.Ack();
	}

	NodeVote.@Nullable Low tooLow(VoteRequest request) {
		long lowest = request.floor();
		int index = 0;
		for (int i = 0; i < request.keys().size(); i++) {
			Counter counter = counter(request.keys().get(i));
			long least = (counter != null) ? counter.last() : micros() - request.retentionMillis() * 500;
			if (least > lowest) {
				lowest = least;
				index = i;
			}
		}
		if (request.first() > lowest) {
			return null;
		}
		this.lows++;
		return new NodeVote.Low(lowest, index);
	}

	final void store(VoteRequest request, long last) {
		List<String> keys = request.keys();
		for (int i = 0; i < keys.size(); i++) {
			store(keys.get(i), request, last, (i == keys.size() - 1) ? request.tick() : null);
		}
	}

	private void store(String key, VoteRequest request, long last, @Nullable Long wanted) {
		Counter counter = counter(key);
		Long tick = (counter != null) ? counter.tick() : null;
		Long before = null;
		boolean open = false;
		if (wanted != null) {
			boolean again = counter != null && counter.open() && wanted.equals(tick);
			before = again ? counter.before() : tick;
			open = true;
			tick = (tick != null) ? Math.max(tick, wanted) : wanted;
		}
		setCounter(key, new Counter(last, request.span(), tick, before, open), request.retentionMillis());
		NodeHighWaterMark least = new NodeHighWaterMark(last, (wanted != null) ? wanted : 0);
		if (!this.mark.max(least).equals(this.mark)) {
			this.mark = this.mark.max(new NodeHighWaterMark(last + MARK_AHEAD, least.tick()));
		}
	}

	Optional<List<LeaseStanding>> renew(String expected, List<HeldLock> held) {
		return expected.equals(this.state)
				? Optional
					.of(held.stream().map((one) -> renew(one) ? LeaseStanding.STANDS : LeaseStanding.GONE).toList())
				: Optional.empty();
	}

	Optional<List<LeaseStanding>> renewMembers(String expected, List<HeldMember> held) {
		return expected.equals(this.state) ? Optional.of(held.stream().map(this.groups::renew).toList())
				: Optional.empty();
	}

	boolean reinstallMember(String expected, HeldMember held, long attemptMillis) {
		return expected.equals(this.state) && this.groups.reinstall(held, attemptMillis);
	}

	boolean renew(HeldLock held) {
		if (!held.value().equals(lock(held.key())) || isOvertaken(held)) {
			return false;
		}
		if (held.ttlMillis() > 0) {
			lengthen(held.key(), held.ttlMillis());
		}
		return true;
	}

	/**
	 * Return whether another client was here since, with a greater token.
	 */
	boolean isOvertaken(HeldLock held) {
		Counter counter = counter(held.key());
		return counter != null && counter.last() > held.last();
	}

	boolean reinstall(String expected, HeldLock held) {
		if (!expected.equals(this.state) || isOvertaken(held)) {
			return false;
		}
		String holder = lock(held.key());
		if (holder == null) {
			setLock(held.key(), held.value(), held.ttlMillis());
			this.reinstalls++;
			return true;
		}
		lengthenIfMine(held);
		return holder.equals(held.value());
	}

	private void lengthenIfMine(HeldLock held) {
		if (held.value().equals(lock(held.key()))) {
			lengthen(held.key(), held.ttlMillis());
		}
	}

	boolean release(ReleaseRequest release) {
		List<String> keys = release.keys();
		List<String> standing = keys.stream().filter((key) -> release.value().equals(lock(key))).toList();
		String last = keys.get(keys.size() - 1);
		if (release.withdrawnTick() != null && standing.contains(last)) {
			withdraw(last, release.withdrawnTick());
		}
		for (String key : standing) {
			boolean awaited = release.notifiesWaiters() && isAwaited(key);
			end(key, release.cooldownMillis());
			if (awaited) {
				this.published.add(key);
			}
		}
		return standing.size() == keys.size();
	}

	private void withdraw(String key, Long tick) {
		Counter counter = counter(key);
		if (counter != null && counter.open() && tick.equals(counter.tick())) {
			this.counters.put(key,
					new Stored<>(new Counter(counter.last(), counter.count(), counter.before(), null, false),
							this.counters.get(key).expiresAt()));
		}
	}

	private void end(String key, long cooldownMillis) {
		if (cooldownMillis > 0) {
			setLock(key, COOLDOWN, cooldownMillis);
		}
		else {
			this.locks.remove(key);
		}
	}

	final boolean isAwaited(String key) {
		return present(this.waiting, key) != null;
	}

	List<NodeHolder> find(String key) {
		String holder = lock(key);
		if (holder == null || holder.equals(COOLDOWN)) {
			return List.of();
		}
		if (GroupModel.isGroup(holder)) {
			return this.groups.find(key, LockMode.valueOf(holder.toUpperCase(Locale.ROOT)));
		}
		Counter counter = counter(key);
		return List.of(new NodeHolder(LockMode.EXCLUSIVE, holder, this.locks.get(key).expiresAt() - millis(),
				(counter != null) ? counter.last() : 0, (counter != null) ? counter.count() : 1));
	}

	List<String> keys() {
		return this.locks.keySet().stream().sorted().toList();
	}

	/**
	 * Walk the keys in the order of their hashes. The cursor is the first hash to come,
	 * so it stays valid when keys go.
	 */
	KeyBatch scan(String cursor, int count) {
		List<String> left = keys().stream()
			.filter((key) -> hash(key) >= Long.parseLong(cursor))
			.sorted(Comparator.comparingLong(NodeModel::hash))
			.toList();
		if (left.size() <= count) {
			return new KeyBatch(KeyBatch.END, left);
		}
		long next = hash(left.get(count - 1)) + 1;
		return new KeyBatch(Long.toString(next), left.stream().takeWhile((key) -> hash(key) < next).toList());
	}

	private static long hash(String key) {
		return Integer.toUnsignedLong(key.hashCode());
	}

	boolean forceRelease(String key, long cooldownMillis) {
		String holder = lock(key);
		if (holder == null || holder.equals(COOLDOWN)) {
			return false;
		}
		if (GroupModel.isGroup(holder) && !this.groups.force(key, cooldownMillis)) {
			return false;
		}
		end(key, cooldownMillis);
		if (isAwaited(key)) {
			this.published.add(key);
		}
		return true;
	}

	/**
	 * A value with an expiry.
	 */
	record Stored<V>(V value, long expiresAt) {
	}

	/**
	 * The counter that is kept for a key in addition to its lock.
	 *
	 * @param last the last token
	 * @param count how many tokens were granted at once
	 * @param tick the tick
	 * @param before the previous tick, to be restored
	 * @param open whether the tick may be withdrawn
	 */
	record Counter(long last, int count, @Nullable Long tick, @Nullable Long before, boolean open) {
	}

}
