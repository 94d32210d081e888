package io.distributedlock.backend.etcd;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.kv.TxnResponse;
import io.etcd.jetcd.op.Cmp;
import io.etcd.jetcd.op.CmpTarget;
import io.etcd.jetcd.op.Op;
import io.etcd.jetcd.options.PutOption;
import org.jspecify.annotations.Nullable;

import io.distributedlock.spi.CompletionCauses;
import io.distributedlock.spi.OwnerId;

/**
 * Stores the tick that runs, after the lock was obtained and before its holder is
 * notified: {@code <milliseconds since 1970>|<owner id>}. The tick is attached to a lease
 * of its own, since it outlives the session. One such lease serves all keys of this JVM
 * for a while.
 */
final class EtcdTicks {

	private final EtcdRequests requests;

	private final EtcdKeys keys;

	private final Duration retention;

	private final AtomicReference<@Nullable TickLease> current = new AtomicReference<>();

	EtcdTicks(EtcdRequests requests, EtcdKeys keys, Duration retention) {
		this.requests = requests;
		this.keys = keys;
		this.retention = retention;
	}

	/**
	 * Return a tick with the precision that is stored.
	 */
	static Instant counted(Instant tick) {
		return tick.truncatedTo(ChronoUnit.MILLIS);
	}

	static String text(Instant tick, OwnerId owner) {
		return tick.toEpochMilli() + "|" + owner.value();
	}

	/**
	 * Store a tick of the last key, if the entry still exists and the previous tick is
	 * the one in the snapshot.
	 * @return whether it was stored
	 */
	CompletionStage<Boolean> write(long end, EtcdQueueEntry entry, EtcdQueueSnapshot snapshot, Instant tick) {
		return lease(end).thenCompose((lease) -> this.requests.commit(end, writing(entry, snapshot, tick, lease.id()))
			.thenApply(TxnResponse::isSucceeded)
			.exceptionallyCompose((fault) -> {
				if (!EtcdFaults.isLeaseGone(CompletionCauses.unwrap(fault))
						|| !this.current.compareAndSet(lease, null)) {
					throw new CompletionException(CompletionCauses.unwrap(fault));
				}
				return write(end, entry, snapshot, tick);
			}));
	}

	private EtcdTxn writing(EtcdQueueEntry entry, EtcdQueueSnapshot snapshot, Instant tick, long leaseId) {
		ByteSequence name = this.keys.tick(entry.last().key());
		Cmp unchanged = (snapshot.tick() != null)
				? new Cmp(name, Cmp.Op.EQUAL, CmpTarget.modRevision(snapshot.tick().getModRevision()))
				: new Cmp(name, Cmp.Op.EQUAL, CmpTarget.createRevision(0));
		Op put = Op.put(name, ByteSequence.from(text(tick, entry.ownerId()), StandardCharsets.UTF_8),
				PutOption.builder().withLeaseId(leaseId).build());
		List<Cmp> conditions = new ArrayList<>();
		entry.names().forEach((place) -> conditions.add(EtcdLockQueue.standsAt(place, entry.revision())));
		conditions.add(unchanged);
		return EtcdTxn.of(conditions, List.of(put), List.of());
	}

	private CompletionStage<TickLease> lease(long end) {
		TickLease known = this.current.get();
		long now = this.requests.now();
		if (known != null && now - known.grantedAt() < this.retention.toNanos() / 24) {
			return CompletableFuture.completedStage(known);
		}
		long seconds = this.retention.plus(this.retention.dividedBy(24)).toSeconds();
		return this.requests.grant(end, seconds).thenApply((answer) -> {
			TickLease granted = new TickLease(answer.id(), now);
			this.current.set(granted);
			return granted;
		});
	}

	/**
	 * The lease that keeps ticks.
	 */
	private record TickLease(long id, long grantedAt) {
	}

}
