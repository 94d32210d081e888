package io.distributedlock.backend.etcd;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

import io.etcd.jetcd.ByteSequence;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.Orphan;

/**
 * Releases locks, and gives up entries in the queue.
 */
final class EtcdReleases {

	private static final Logger logger = LoggerFactory.getLogger(EtcdReleases.class);

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
		ByteSequence name = this.keys.entry(grant.target().key(), grant.ownerId());
		EtcdQueueEntry entry = this.sessions.findHeld(grant.ownerId(), revision);
		if (entry == null) {
			return release(grant.target().key(), name, revision, cooldown);
		}
		long takenUntil = this.requests.now() + cooldown.toNanos();
		boolean settled = entry.giveUp();
		return release(grant.target().key(), name, revision, cooldown).whenComplete((stood, fault) -> {
			if (fault != null) {
				this.givenUp.forget(entry, () -> releaseAgain(entry, revision, takenUntil));
			}
			else {
				this.givenUp.forget(entry, settled);
			}
		});
	}

	/**
	 * Release a lock again that etcd has not answered for: nothing else would end it
	 * while the session lives.
	 */
	private CompletionStage<?> releaseAgain(EtcdQueueEntry entry, long revision, long takenUntil) {
		Duration cooldown = Duration.ofNanos(Math.max(0, takenUntil - this.requests.now()));
		long end = this.requests.defaultEnd();
		return this.cooldowns.begin(end, entry.target().key(), cooldown,
				(begun) -> this.queue.leave(end, entry.name(), revision, begun)
					.thenApply(EtcdRequests.CountedAnswer::succeeded));
	}

	private CompletionStage<Boolean> release(String key, ByteSequence name, long revision, Duration cooldown) {
		long end = this.requests.defaultEnd();
		return this.cooldowns.begin(end, key, cooldown, (begun) -> this.queue.leave(end, name, revision, begun)
			.thenApply((answer) -> answer.hasSucceeded(key)));
	}

	/**
	 * Give up all entries that wait, and wait for it a while.
	 */
	void leaveAll(Duration timeout) {
		List<EtcdQueueEntry> all = this.sessions.waiting();
		all.forEach(this.givenUp::forget);
		CompletableFuture<?> left = this.queue.deleteAll(all.stream().map(EtcdQueueEntry::name).toList());
		try {
			left.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		catch (Exception ex) {
			logger.debug("{} entries in the queue could not be given up; they end with the session", all.size(), ex);
		}
	}

	CompletionStage<Void> abandon(List<Orphan> orphans) {
		List<ByteSequence> names = new ArrayList<>(orphans.size());
		for (Orphan orphan : orphans) {
			ByteSequence name = this.keys.entry(orphan.target().key(), orphan.ownerId());
			EtcdQueueEntry entry = this.sessions.find(orphan.ownerId());
			if (entry != null) {
				this.givenUp.forget(entry);
			}
			names.add(name);
		}
		return this.queue.deleteAll(names);
	}

}
