package io.distributedlock.backend.etcd;

import java.time.Duration;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.KeyValue;

import io.distributedlock.spi.LockClock;

/**
 * The predecessor that a waiter saw at its last look: the entry before its own, or a
 * cooldown.
 *
 * @param name its name
 * @param leaseId the session that the entry is attached to, zero for a cooldown
 * @param grace how long its holder may rely on its session after that was ended early
 * @param goneAt the revision at which it was deleted, zero if that is not known
 */
record EtcdPredecessor(ByteSequence name, long leaseId, Duration grace, long goneAt) {

	// For entries that this version does not understand, which are not waited for.
	private static final Duration LONGEST = EtcdLockSettings.MAX_SESSION_TTL;

	static EtcdPredecessor entry(KeyValue entry) {
		// The leases of a holder that is cut off are valid for half the TTL after it sent
		// its latest keep-alive, which etcd executed before the end.
		Duration ttl = EtcdEntryValue.parse(entry.getValue()).map(EtcdEntryValue::sessionTtl).orElse(LONGEST);
		Duration grace = ttl.dividedBy(2).plus(LockClock.driftAllowance(ttl));
		return new EtcdPredecessor(entry.getKey(), entry.getLease(), grace, 0);
	}

	static EtcdPredecessor cooldown(KeyValue cooldown) {
		return new EtcdPredecessor(cooldown.getKey(), 0, Duration.ZERO, 0);
	}

	boolean isEntry() {
		return this.leaseId != 0;
	}

	EtcdPredecessor gone(long revision) {
		return new EtcdPredecessor(this.name, this.leaseId, this.grace, revision);
	}

}
