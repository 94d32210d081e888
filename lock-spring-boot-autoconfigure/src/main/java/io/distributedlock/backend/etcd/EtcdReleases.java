package io.distributedlock.backend.etcd;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.etcd.jetcd.ByteSequence;

import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.Orphan;

/**
 * Releases locks, and gives up entries in the queue.
 */
final class EtcdReleases {

	private final EtcdRequests requests;

	private final EtcdKeys keys;

	private final EtcdLockQueue queue;

	private final EtcdSessions sessions;

	private final EtcdCooldowns cooldowns;

	private final GivenUpEntries givenUp;

	EtcdReleases(EtcdRequests requests, EtcdKeys keys, EtcdLockQueue queue, EtcdSessions sessions,
			EtcdCooldowns cooldowns, GivenUpEntries givenUp) {
		this.requests = requests;
		this.keys = keys;
		this.queue = queue;
		this.sessions = sessions;
		this.cooldowns = cooldowns;
		this.givenUp = givenUp;
	}

	CompletionStage<Boolean> release(LeaseGrant grant, Duration cooldown) {
		long revision = EtcdQueueEntry.revisionOf(grant.token().first());
		if (EtcdQueueEntry.firstToken(revision) != grant.token().first()) {
			return CompletableFuture.completedStage(false);
		}
		String key = grant.target().key();
		ByteSequence name = this.keys.entry(key, grant.ownerId());
		EtcdQueueEntry entry = this.sessions.findHeld(grant.ownerId(), revision);
		long takenUntil = this.requests.now() + cooldown.toNanos();
		boolean settled = entry != null && entry.giveUp();
		CompletionStage<Boolean> released = this.cooldowns.begin(key, name, revision, cooldown)
			.thenApply((answer) -> answer.hasSucceeded(key));
		if (entry == null) {
			return released;
		}
		return released.whenComplete((stood, fault) -> {
			if (fault != null) {
				this.givenUp.releaseAgain(entry, () -> this.cooldowns.begin(key, name, revision, restOf(takenUntil)));
			}
			else {
				this.givenUp.forget(entry, settled);
			}
		});
	}

	private Duration restOf(long takenUntil) {
		return Duration.ofNanos(Math.max(0, takenUntil - this.requests.now()));
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
