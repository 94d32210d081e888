package io.distributedlock.backend.etcd;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.op.Op;
import io.etcd.jetcd.options.PutOption;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.distributedlock.spi.LockClock;

/**
 * Begins cooldowns: keys on an etcd lease of their own, which outlives this JVM. A
 * cooldown is put by the transaction that deletes the entry of the holder.
 */
final class EtcdCooldowns {

	private static final Logger logger = LoggerFactory.getLogger(EtcdCooldowns.class);

	private static final long SHORTEST_LEASE_SECONDS = 2;

	private final EtcdRequests requests;

	private final EtcdKeys keys;

	private final LockClock clock;

	EtcdCooldowns(EtcdRequests requests, EtcdKeys keys, LockClock clock) {
		this.requests = requests;
		this.keys = keys;
		this.clock = clock;
	}

	/**
	 * End a lease into a cooldown. Leases of etcd last whole seconds, so this JVM revokes
	 * the one of the cooldown when its time is over.
	 * @param end when etcd must have answered
	 * @param key the key of the lock
	 * @param cooldown how long it lasts; zero for none
	 * @param ending commits the transaction that deletes the entry, with the operations
	 * that begin the cooldown
	 * @return whether the entry stood
	 */
	CompletionStage<Boolean> begin(long end, String key, Duration cooldown,
			Function<List<Op>, CompletableFuture<Boolean>> ending) {
		if (cooldown.isZero() || cooldown.isNegative()) {
			return ending.apply(List.of());
		}
		long seconds = Math.max(SHORTEST_LEASE_SECONDS, cooldown.plusMillis(1_999).toSeconds());
		return this.requests.grant(end, seconds).thenCompose((lease) -> {
			Op put = Op.put(this.keys.cooldown(key),
					ByteSequence.from(String.valueOf(cooldown.toMillis()), StandardCharsets.UTF_8),
					PutOption.builder().withLeaseId(lease.id()).build());
			return ending.apply(List.of(put)).thenApply((stood) -> {
				this.clock.schedule(stood ? cooldown : Duration.ZERO, () -> revoke(lease.id()));
				return stood;
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
