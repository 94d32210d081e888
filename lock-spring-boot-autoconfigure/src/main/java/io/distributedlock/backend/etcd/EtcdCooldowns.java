package io.distributedlock.backend.etcd;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.op.Op;
import io.etcd.jetcd.options.PutOption;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.distributedlock.backend.etcd.EtcdRequests.CountedAnswer;
import io.distributedlock.spi.LockClock;

/**
 * Begins cooldowns: keys on an etcd lease of their own, which outlives this JVM. A
 * cooldown is put by the transaction that deletes the entry of the holder.
 */
final class EtcdCooldowns {

	private static final Logger logger = LoggerFactory.getLogger(EtcdCooldowns.class);

	private static final long SHORTEST_LEASE_SECONDS = 2;

	private final EtcdRequests requests;

	private final EtcdLockQueue queue;

	private final EtcdKeys keys;

	private final LockClock clock;

	EtcdCooldowns(EtcdRequests requests, EtcdLockQueue queue, EtcdKeys keys, LockClock clock) {
		this.requests = requests;
		this.queue = queue;
		this.keys = keys;
		this.clock = clock;
	}

	/**
	 * Delete the entry of a holder and begin a cooldown, if the entry still stands.
	 * Leases of etcd last whole seconds, so this JVM revokes the one of the cooldown when
	 * its time is over.
	 * @param key the key of the lock
	 * @param entry the name of the entry
	 * @param revision its create revision
	 * @param cooldown how long the cooldown lasts; zero for none
	 */
	CompletionStage<CountedAnswer> begin(String key, ByteSequence entry, long revision, Duration cooldown) {
		return begin(this.requests.defaultEnd(), key, entry, revision, cooldown);
	}

	/**
	 * Do so.
	 * @param end when etcd must have answered
	 */
	CompletionStage<CountedAnswer> begin(long end, String key, ByteSequence entry, long revision, Duration cooldown) {
		if (cooldown.isZero() || cooldown.isNegative()) {
			return this.queue.leave(end, entry, revision, List.of());
		}
		long seconds = Math.max(SHORTEST_LEASE_SECONDS, cooldown.plusMillis(1_999).toSeconds());
		return this.requests.grant(end, seconds).thenCompose((lease) -> {
			Op put = Op.put(this.keys.cooldown(key),
					ByteSequence.from(String.valueOf(cooldown.toMillis()), StandardCharsets.UTF_8),
					PutOption.builder().withLeaseId(lease.id()).build());
			return this.queue.leave(end, entry, revision, List.of(put)).thenApply((answer) -> {
				this.clock.schedule(answer.isFailed() ? Duration.ZERO : cooldown, () -> revoke(lease.id()));
				return answer;
			});
		});
	}

	private void revoke(long leaseId) {
		this.requests.revoke(leaseId).whenComplete((done, fault) -> {
			if (fault != null) {
				logger.debug("The lease of a cooldown could not be revoked; it ends by itself", fault);
			}
		});
	}

}
