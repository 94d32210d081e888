package io.distributedlock.backend.etcd;

import java.time.Duration;
import java.util.Optional;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.KeyValue;
import org.jspecify.annotations.Nullable;

import io.distributedlock.LockMode;
import io.distributedlock.spi.LockClock;

/**
 * An entry before the own one that a waiter saw, or a cooldown.
 *
 * @param name its name
 * @param mode its mode, {@code null} for a cooldown
 * @param revision its create revision
 * @param leaseId the session that it is attached to, zero if it depends on none
 * @param grace how long its holder may rely on its session after that was ended early
 */
record EtcdPredecessor(ByteSequence name, @Nullable LockMode mode, long revision, long leaseId, Duration grace) {

	// For entries that this version does not understand, which are not waited for.
	private static final Duration LONGEST = EtcdLockSettings.MAX_SESSION_TTL;

	static EtcdPredecessor entry(KeyValue entry) {
		Optional<EtcdEntryValue> value = EtcdEntryValue.of(entry);
		boolean cooling = value.filter(EtcdEntryValue::isCooling).isPresent();
		// The leases of a holder that is cut off are valid for half the TTL after it sent
		// its latest keep-alive, which etcd executed before the end.
		Duration ttl = value.map(EtcdEntryValue::sessionTtl).orElse(LONGEST);
		Duration grace = ttl.dividedBy(2).plus(LockClock.driftAllowance(ttl));
		return new EtcdPredecessor(entry.getKey(), EtcdKeys.modeOf(entry.getKey()), entry.getCreateRevision(),
				cooling ? 0 : entry.getLease(), grace);
	}

	static EtcdPredecessor cooldown(KeyValue cooldown) {
		return new EtcdPredecessor(cooldown.getKey(), null, cooldown.getCreateRevision(), 0, Duration.ZERO);
	}

	boolean isMember() {
		return this.mode != null && this.mode != LockMode.EXCLUSIVE;
	}

	/**
	 * Return whether an entry could not hold the lock beside this one.
	 */
	boolean excludes(EtcdPredecessor other) {
		return !isMember() || this.mode != other.mode;
	}

}
