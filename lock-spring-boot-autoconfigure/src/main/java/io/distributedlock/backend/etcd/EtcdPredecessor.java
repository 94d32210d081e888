package io.distributedlock.backend.etcd;

import java.time.Duration;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.KeyValue;

import io.distributedlock.spi.LockClock;

/**
 * What stood in a waiter's way when it looked last: the entry before its own, or a
 * cooldown.
 *
 * @param name its name
 * @param leaseId the session that the entry is attached to, zero for a cooldown
 * @param grace how long its holder may rely on its session after that was ended before
 * its time
 * @param goneAt the revision at which it went, zero where that is not known
 */
record EtcdPredecessor(ByteSequence name, long leaseId, Duration grace, long goneAt) {

	// Of what is not understood, which is not waited for.
	private static final Duration LONGEST = EtcdLockSettings.MAX_SESSION_TTL;

	static EtcdPredecessor entry(KeyValue entry) {
		// A holder that hears nothing is valid for half the ttl after it sent a sign of
		// life that came before the end.
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
