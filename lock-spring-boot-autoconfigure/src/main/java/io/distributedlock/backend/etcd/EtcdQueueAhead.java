package io.distributedlock.backend.etcd;

import java.util.Comparator;
import java.util.List;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.KeyValue;
import io.etcd.jetcd.kv.GetResponse;
import org.jspecify.annotations.Nullable;

import io.distributedlock.LockMode;
import io.distributedlock.spi.LockTarget;

/**
 * What stands before an entry in the queue. An exclusive entry holds the lock when no
 * entry is before it. An entry of a group holds it when none of another kind is before
 * it, and fewer of its own than it has permits. So the order of arrival keeps later
 * members behind a waiting writer.
 * <p>
 * A waiter watches the newest entry that excludes it. If that is a member of a group, it
 * watches the whole group, since any of them may be the last to leave.
 *
 * @param seen the entries to watch that were shown, or the cooldown
 * @param count how many there are, or at least these
 * @param allowed how many may stay when the entry holds the lock
 * @param from the name to watch, or the first one
 * @param to the first name after those to watch, or {@code null} if it is a single one
 */
record EtcdQueueAhead(List<EtcdPredecessor> seen, long count, int allowed, @Nullable ByteSequence from,
		@Nullable ByteSequence to) {

	/**
	 * Nothing is before the entry.
	 */
	static final EtcdQueueAhead NOTHING = new EtcdQueueAhead(List.of(), 0, 0, null, null);

	private static final Comparator<KeyValue> BY_REVISION = Comparator.comparingLong(KeyValue::getCreateRevision);

	/**
	 * Return what stands before an entry.
	 * @param others the entries before it that exclude it, as far as they were shown, the
	 * newest of them in any case
	 * @param cooldown the cooldown, if there is one
	 */
	static EtcdQueueAhead of(EtcdKeys keys, LockTarget target, List<KeyValue> others, @Nullable KeyValue cooldown) {
		KeyValue newest = newest(others);
		if (newest != null) {
			LockMode mode = EtcdKeys.modeOf(newest.getKey());
			return (mode == null || mode == LockMode.EXCLUSIVE) ? single(EtcdPredecessor.entry(newest))
					: group(keys, target.key(), mode, members(others, mode), 0, 0);
		}
		return (cooldown != null) ? single(EtcdPredecessor.cooldown(cooldown)) : NOTHING;
	}

	/**
	 * Return what stands before the entry of a permit that no other entry excludes.
	 * @param own the entries of permits before it that were shown
	 * @param count how many there are, or at least these
	 * @param permits how many there may be with this one
	 */
	static EtcdQueueAhead ofPermits(EtcdKeys keys, LockTarget target, List<KeyValue> own, long count, int permits) {
		return group(keys, target.key(), LockMode.PERMITS, own, count, permits - 1);
	}

	static @Nullable KeyValue newest(List<KeyValue> entries) {
		return entries.stream().max(BY_REVISION).orElse(null);
	}

	/**
	 * Return an entry that this version does not understand: the newest of those that
	 * exclude the own one, or a permit.
	 */
	static @Nullable KeyValue notUnderstood(List<KeyValue> others, @Nullable GetResponse permits) {
		KeyValue newest = newest(others);
		if (newest != null && EtcdEntryValue.of(newest).isEmpty()) {
			return newest;
		}
		List<KeyValue> members = (permits != null) ? permits.getKvs() : List.of();
		return members.stream().filter((found) -> EtcdEntryValue.of(found).isEmpty()).findFirst().orElse(null);
	}

	private static List<KeyValue> members(List<KeyValue> entries, LockMode mode) {
		return entries.stream().filter((entry) -> EtcdKeys.modeOf(entry.getKey()) == mode).toList();
	}

	private static EtcdQueueAhead single(EtcdPredecessor seen) {
		return new EtcdQueueAhead(List.of(seen), 1, 0, seen.name(), null);
	}

	private static EtcdQueueAhead group(EtcdKeys keys, String key, LockMode mode, List<KeyValue> members, long count,
			int allowed) {
		EtcdKeys.Range names = keys.members(key, mode);
		List<EtcdPredecessor> seen = members.stream().map(EtcdPredecessor::entry).toList();
		return new EtcdQueueAhead(seen, Math.max(count, seen.size()), allowed, names.from(), names.to());
	}

	/**
	 * Return whether the entry has to wait.
	 */
	boolean isInTheWay() {
		return this.count > this.allowed;
	}

	/**
	 * Return whether there are entries to watch that were not shown.
	 */
	boolean isPartlyShown() {
		return this.count > this.seen.size();
	}

}
