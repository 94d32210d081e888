package io.distributedlock.backend.redlock;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;

import org.jspecify.annotations.Nullable;

import io.distributedlock.LockMode;
import io.distributedlock.backend.redlock.NodeMembers.EntryRequest;
import io.distributedlock.backend.redlock.NodeMembers.HeldMember;
import io.distributedlock.backend.redlock.NodeModel.Stored;
import io.distributedlock.backend.redlock.NodeSession.ReleaseRequest;
import io.distributedlock.backend.redlock.NodeSession.VoteRequest;

/**
 * Models the scripts for members of groups at one node.
 */
class GroupModel {

	private static final String COOLDOWN = "cooldown:";

	private static final long DOOR_OF_AN_ENDED_GROUP = 100;

	final NodeModel node;

	final Map<String, Stored<Map<String, Member>>> sets = new HashMap<>();

	// The waiters that keep each door closed, and until when.
	final Map<String, Map<String, Long>> doors = new HashMap<>();

	GroupModel(NodeModel node) {
		this.node = node;
	}

	void wipe() {
		this.sets.clear();
		this.doors.clear();
	}

	void restore(GroupModel older) {
		older.sets.forEach((key, set) -> this.sets.put(key, new Stored<>(new HashMap<>(set.value()), set.expiresAt())));
		older.doors.forEach((key, waiters) -> this.doors.put(key, new HashMap<>(waiters)));
	}

	/**
	 * Let members expire early.
	 */
	final void loseMembers(BooleanSupplier which) {
		this.sets.values().forEach((set) -> set.value().values().removeIf((member) -> which.getAsBoolean()));
	}

	static boolean isGroup(String value) {
		return value.equals("shared") || value.equals("permits");
	}

	private long now() {
		return this.node.millis();
	}

	final Map<String, Member> members(String key) {
		Map<String, Member> members = this.node.present(this.sets, key);
		return (members != null) ? members : new HashMap<>();
	}

	/**
	 * Return a live member.
	 */
	final @Nullable Member live(String key, String value) {
		Member member = members(key).get(value);
		return (member != null && member.expiresAt() > now()) ? member : null;
	}

	NodeVote enter(EntryRequest request) {
		VoteRequest vote = request.vote();
		if (!vote.state().equals(this.node.state)) {
			return new NodeVote.Quarantined();
		}
		String kind = NodeHolder.kind(request.mode());
		List<String> others = new ArrayList<>();
		for (int i = 0; i < vote.keys().size(); i++) {
			NodeVote refusal = refusal(request, kind, i, others);
			if (refusal != null) {
				this.node.mark(vote, vote.keys().get(i));
				return refusal;
			}
		}
		NodeVote.Low low = this.node.tooLow(vote);
		if (low != null) {
			return low(request, low);
		}
		for (String key : vote.keys()) {
			admit(key, kind, vote.value(), vote.ttlMillis(), new Member(0, vote.last(), vote.span(), 0));
		}
		this.node.acks++;
		this.node.store(vote, vote.last());
		return new NodeVote.Ack(others);
	}

	/**
	 * Return what keeps the member out of one of the groups.
	 * @param others receives the other members if their number is limited
	 */
	private @Nullable NodeVote refusal(EntryRequest request, String kind, int index, List<String> others) {
		String key = request.vote().keys().get(index);
		String value = request.vote().value();
		String holder = this.node.lock(key);
		if (holder != null && excludes(holder, kind)) {
			return new NodeVote.Busy(this.node.locks.get(key).expiresAt() - now(), this.node.last(key),
					NodeVote.hash(holder), index);
		}
		boolean mine = holder != null && live(key, value) != null;
		if (!mine && closed(key) > 0) {
			return new NodeVote.Busy(closed(key), this.node.last(key), NodeVote.hash("door"), index);
		}
		if (request.permits() > 0 && holder != null) {
			List<Map.Entry<String, Member>> all = others(key, value);
			all.forEach((entry) -> others.add(digits(entry.getKey())));
			if (!mine && isFull(others.size(), request.permits())) {
				long rest = all.get(others.size() - request.permits()).getValue().expiresAt() - now();
				return new NodeVote.Full(rest, this.node.last(key), others);
			}
		}
		return null;
	}

	boolean isFull(int others, int permits) {
		return others >= permits;
	}

	boolean excludes(String holder, String kind) {
		return !holder.equals(kind);
	}

	NodeVote low(EntryRequest request, NodeVote.Low low) {
		return low;
	}

	private List<Map.Entry<String, Member>> others(String key, String value) {
		return members(key).entrySet()
			.stream()
			.filter((entry) -> entry.getValue().expiresAt() > now() && !entry.getKey().equals(value))
			.sorted(Map.Entry.comparingByValue(Comparator.comparingLong(Member::expiresAt)))
			.toList();
	}

	private static String digits(String value) {
		return value.replace(COOLDOWN, "").substring(0, 16);
	}

	final void admit(String key, String kind, String value, long ttlMillis, Member member) {
		boolean held = this.node.lock(key) != null;
		if (held) {
			removeExpired(key);
		}
		else {
			begin(key);
		}
		Map<String, Member> members = members(key);
		Member before = live(key, value);
		long at = Math.max(now() + ttlMillis, (before != null) ? before.expiresAt() : 0);
		members.put(value, member.until(at));
		this.sets.putIfAbsent(key, new Stored<>(members, Long.MAX_VALUE));
		if (held) {
			lengthenGate(key, ttlMillis);
		}
		else {
			this.node.setLock(key, kind, ttlMillis);
		}
		keepBeside(key, members);
	}

	/**
	 * Begin a group, with an empty set.
	 */
	void begin(String key) {
		this.sets.remove(key);
	}

	void lengthenGate(String key, long ttlMillis) {
		this.node.lengthen(key, ttlMillis);
	}

	final void setGate(String key, long ttlMillis) {
		this.node.setLock(key, this.node.lock(key), ttlMillis);
	}

	void keepBeside(String key, Map<String, Member> members) {
		long until = this.node.locks.get(key).expiresAt() + 1000;
		Stored<Map<String, Member>> stored = this.sets.get(key);
		if (stored == null || stored.expiresAt() == Long.MAX_VALUE || stored.expiresAt() < until) {
			this.sets.put(key, new Stored<>(members, until));
		}
	}

	private void removeExpired(String key) {
		members(key).values().removeIf((member) -> member.expiresAt() <= now());
	}

	LeaseStanding renew(HeldMember held) {
		String key = held.lock().key();
		Member member = NodeHolder.kind(held.mode()).equals(this.node.lock(key)) ? live(key, held.lock().value())
				: null;
		if (member == null) {
			return LeaseStanding.GONE;
		}
		if (held.lock().ttlMillis() > 0) {
			lengthen(held, member);
		}
		if (member.countsFrom() > now()) {
			return LeaseStanding.TOO_NEW;
		}
		return (closed(key) > 0) ? LeaseStanding.CONTENDED : LeaseStanding.STANDS;
	}

	void lengthen(HeldMember held, Member member) {
		String key = held.lock().key();
		long until = now() + held.lock().ttlMillis();
		if (member.expiresAt() < until) {
			members(key).put(held.lock().value(), member.until(until));
		}
		lengthenGate(key, held.lock().ttlMillis());
		keepBeside(key, members(key));
	}

	boolean reinstall(HeldMember held, long attemptMillis) {
		String key = held.lock().key();
		String kind = NodeHolder.kind(held.mode());
		String holder = this.node.lock(key);
		if (holder != null && !holder.equals(kind)) {
			return false;
		}
		Member member = (holder != null) ? live(key, held.lock().value()) : null;
		if (member == null) {
			long from = this.node.isOvertaken(held.lock()) ? now() + attemptMillis : 0;
			member = new Member(0, held.lock().last(), held.count(), from);
			this.node.reinstalls++;
		}
		admit(key, kind, held.lock().value(), held.lock().ttlMillis(), member);
		return true;
	}

	LeaseStanding leave(ReleaseRequest release) {
		return LeaseStanding.ofAll(release.keys().stream().map((key) -> leave(key, release)).toList());
	}

	private LeaseStanding leave(String key, ReleaseRequest release) {
		String kind = this.node.lock(key);
		Member member = live(key, release.value());
		if (kind == null || !isGroup(kind) || member == null) {
			return LeaseStanding.GONE;
		}
		boolean closed = closed(key) > 0;
		Map<String, Member> members = members(key);
		members.remove(release.value());
		if (release.cooldownMillis() > 0) {
			members.put(COOLDOWN + release.value(), new Member(now() + release.cooldownMillis(), 0, 1, 0));
		}
		removeExpired(key);
		boolean awaited = release.notifiesWaiters() && this.node.isAwaited(key);
		boolean ended = members.isEmpty();
		shortenGate(key, members);
		if (ended && awaited) {
			shortenDoor(key, 0);
		}
		if (awaited && (ended || kind.equals("permits") || release.cooldownMillis() > 0)) {
			this.node.published.add(key);
		}
		return closed ? LeaseStanding.CONTENDED : LeaseStanding.STANDS;
	}

	/**
	 * Shorten the lock to the members that are left, or delete it.
	 */
	void shortenGate(String key, Map<String, Member> left) {
		long latest = left.values().stream().mapToLong(Member::expiresAt).reduce(0, Math::max);
		if (latest > 0) {
			setGate(key, latest - now());
			keepBeside(key, left);
		}
		else {
			this.node.locks.remove(key);
			this.sets.remove(key);
		}
	}

	boolean closeDoor(String key, String waiter, long millis) {
		this.doors.computeIfAbsent(key, (absent) -> new HashMap<>()).merge(waiter, now() + millis, Math::max);
		return true;
	}

	/**
	 * Return for how many ms the door stays closed.
	 */
	private long closed(String key) {
		return this.doors.getOrDefault(key, Map.of())
			.values()
			.stream()
			.mapToLong((until) -> until - now())
			.reduce(0, Math::max);
	}

	boolean openDoor(String key, String waiter, boolean notifiesWaiters) {
		long before = closed(key);
		this.doors.getOrDefault(key, new HashMap<>()).remove(waiter);
		if (before == 0 || closed(key) > 0) {
			return false;
		}
		if (notifiesWaiters && this.node.isAwaited(key)) {
			this.node.published.add(key);
		}
		return true;
	}

	/**
	 * End all members, unless there are places only that are kept after a release.
	 */
	boolean force(String key, long cooldownMillis) {
		boolean owned = !find(key, LockMode.SHARED).isEmpty();
		if (!owned && members(key).values().stream().anyMatch((member) -> member.expiresAt() > now())) {
			return false;
		}
		this.sets.remove(key);
		shortenDoor(key, cooldownMillis);
		return true;
	}

	private void shortenDoor(String key, long freeIn) {
		long latest = now() + freeIn + DOOR_OF_AN_ENDED_GROUP;
		this.doors.getOrDefault(key, new HashMap<>()).replaceAll((waiter, until) -> Math.min(until, latest));
	}

	List<NodeHolder> find(String key, LockMode mode) {
		return members(key).entrySet()
			.stream()
			.filter((entry) -> entry.getValue().expiresAt() > now() && !entry.getKey().startsWith(COOLDOWN))
			.map((entry) -> new NodeHolder(mode, entry.getKey(), entry.getValue().expiresAt() - now(),
					entry.getValue().last(), entry.getValue().count()))
			.toList();
	}

	/**
	 * A member of a group.
	 *
	 * @param expiresAt when it expires, in ms
	 * @param last its last token
	 * @param count how many tokens it has
	 * @param countsFrom from when on it counts for its lease, in ms; zero for always
	 */
	record Member(long expiresAt, long last, int count, long countsFrom) {

		Member until(long at) {
			return new Member(at, this.last, this.count, this.countsFrom);
		}

	}

}
