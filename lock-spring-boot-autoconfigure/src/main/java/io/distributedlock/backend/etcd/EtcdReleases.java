package io.distributedlock.backend.etcd;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.op.Op;
import io.etcd.jetcd.options.PutOption;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.distributedlock.backend.etcd.EtcdRequests.CountedAnswer;
import io.distributedlock.backend.session.SessionEntry;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.Orphan;

/**
 * Releases locks, takes them away from their holders, and gives up entries in the queue.
 * <p>
 * A cooldown is a key on an etcd lease of its own, which outlives this JVM. It is stored
 * by the transaction that deletes the entry of the holder.
 *
 * @param requests sends requests
 * @param keys the names in etcd
 * @param queue the transactions of queues
 * @param sessions the sessions of the entries
 * @param givenUp receives entries that may still exist
 * @param clock the time
 */
record EtcdReleases(EtcdRequests requests, EtcdKeys keys, EtcdLockQueue queue, EtcdSessions sessions,
		GivenUpEntries givenUp, LockClock clock) {

	private static final Logger logger = LoggerFactory.getLogger(EtcdReleases.class);

	private static final long SHORTEST_LEASE_SECONDS = 2;

	CompletionStage<Boolean> release(LeaseGrant grant, Duration cooldown) {
		long revision = EtcdQueueEntry.revisionOf(grant.token().first());
		if (SessionEntry.firstToken(revision) != grant.token().first()) {
			return CompletableFuture.completedStage(false);
		}
		String key = grant.target().key();
		EtcdQueueEntry entry = this.sessions.findHeld(grant.ownerId(), revision);
		ByteSequence name = (entry != null) ? entry.name() : this.keys.entry(key, grant.ownerId());
		long takenUntil = this.requests.now() + cooldown.toNanos();
		boolean settled = entry != null && entry.giveUp();
		CompletionStage<Boolean> released = releaseOwn(key, name, revision, cooldown)
			.thenApply((answer) -> answer.hasSucceeded(key));
		if (entry == null) {
			return released;
		}
		return released.whenComplete((stood, fault) -> {
			if (fault != null) {
				this.givenUp.releaseAgain(entry, () -> releaseOwn(key, name, revision,
						Duration.ofNanos(Math.max(0, takenUntil - this.requests.now()))));
			}
			else {
				this.givenUp.forget(entry, settled);
			}
		});
	}

	CompletionStage<Boolean> forceRelease(String key, Duration cooldown) {
		long end = this.requests.defaultEnd();
		return this.queue.holder(end, key).thenCompose((holder) -> {
			if (holder == null) {
				return CompletableFuture.completedStage(false);
			}
			long revision = holder.getCreateRevision();
			return release(end, key, holder.getKey(), revision, cooldown).thenApply((answer) -> {
				EtcdQueueEntry own = this.sessions.findHeld(EtcdKeys.ownerOf(holder.getKey()), revision);
				if (own != null) {
					this.givenUp.lose(own);
				}
				return answer.hasSucceeded(key);
			});
		});
	}

	private CompletionStage<CountedAnswer> releaseOwn(String key, ByteSequence entry, long revision,
			Duration cooldown) {
		long end = this.requests.defaultEnd();
		return isNone(cooldown) ? this.queue.leave(end, entry, revision) : release(end, key, entry, revision, cooldown);
	}

	private static boolean isNone(Duration cooldown) {
		return cooldown.isZero() || cooldown.isNegative();
	}

	/**
	 * Delete the entry of a holder and begin a cooldown, if the entry still exists.
	 * Leases of etcd last whole seconds, so this JVM revokes the one of the cooldown when
	 * its time is over.
	 * @param end when etcd must have answered
	 * @param key the key of the lock
	 * @param entry the name of the entry
	 * @param revision its create revision
	 * @param cooldown how long the cooldown lasts; zero for none
	 */
	private CompletionStage<CountedAnswer> release(long end, String key, ByteSequence entry, long revision,
			Duration cooldown) {
		if (isNone(cooldown)) {
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

	/**
	 * Give up all entries that wait.
	 */
	CompletableFuture<?> leaveAll() {
		List<EtcdQueueEntry> all = this.sessions.waiting();
		all.forEach((entry) -> this.givenUp.forget(entry, false));
		return this.queue.deleteAll(all.stream().map(EtcdQueueEntry::name).toList());
	}

	CompletionStage<Void> abandon(List<Orphan> orphans) {
		for (Orphan orphan : orphans) {
			EtcdQueueEntry entry = this.sessions.find(orphan.ownerId());
			if (entry != null) {
				this.givenUp.forget(entry, false);
			}
		}
		return this.queue.deleteAll(
				orphans.stream().map((orphan) -> this.keys.entry(orphan.target().key(), orphan.ownerId())).toList());
	}

}
