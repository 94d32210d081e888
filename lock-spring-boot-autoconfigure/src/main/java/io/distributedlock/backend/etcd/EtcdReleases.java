package io.distributedlock.backend.etcd;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.LongFunction;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.KeyValue;
import io.etcd.jetcd.op.Op;
import io.etcd.jetcd.options.DeleteOption;
import io.etcd.jetcd.options.PutOption;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.distributedlock.LockMode;
import io.distributedlock.backend.etcd.EtcdRequests.CountedAnswer;
import io.distributedlock.backend.session.SessionEntry;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.Orphan;

/**
 * Releases locks, takes them away from their holders, and gives up entries in the queue.
 * <p>
 * A cooldown is a key on an etcd lease of its own, which outlives this JVM. It is stored
 * by the transaction that deletes the entry of the holder. For a member of a group this
 * is the entry itself: it keeps its place in the queue, but is no longer attached to the
 * session.
 *
 * @param requests sends requests
 * @param keys the names in etcd
 * @param queue the transactions of queues
 * @param holders finds holders
 * @param sessions the sessions of the entries
 * @param givenUp receives entries that may still exist
 * @param clock the time
 */
record EtcdReleases(EtcdRequests requests, EtcdKeys keys, EtcdLockQueue queue, EtcdLockHolders holders,
		EtcdSessions sessions, GivenUpEntries givenUp, LockClock clock) {

	private static final Logger logger = LoggerFactory.getLogger(EtcdReleases.class);

	private static final long SHORTEST_LEASE_SECONDS = 2;

	CompletionStage<Boolean> release(LeaseGrant grant, Duration cooldown) {
		long revision = EtcdQueueEntry.revisionOf(grant.token().first());
		if (SessionEntry.firstToken(revision) != grant.token().first()) {
			return CompletableFuture.completedStage(false);
		}
		LockTarget target = grant.target();
		EtcdQueueEntry entry = this.sessions.findHeld(grant.ownerId(), revision);
		List<EtcdPlace> places = (entry != null) ? entry.places() : this.keys.places(target, grant.ownerId());
		long takenUntil = this.requests.now() + cooldown.toNanos();
		boolean settled = entry != null && entry.giveUp();
		// Only the entry of a group that this JVM holds is known not to be one that is
		// kept for its cooldown.
		boolean byName = isNone(cooldown) && places.size() == 1 && (entry != null || !target.isGroup());
		CompletionStage<Boolean> released = release(places, revision, cooldown, byName)
			.thenApply((answer) -> answer.hasSucceeded(String.join(", ", target.keys())));
		if (entry == null) {
			return released;
		}
		return released.whenComplete((stood, fault) -> {
			if (fault != null) {
				this.givenUp.releaseAgain(entry, () -> releaseAgain(places, revision, takenUntil));
			}
			else {
				this.givenUp.forget(entry, settled);
			}
		});
	}

	CompletionStage<Boolean> forceRelease(String key, Duration cooldown) {
		return forceRelease(this.requests.defaultEnd(), key, cooldown);
	}

	private CompletionStage<Boolean> forceRelease(long end, String key, Duration cooldown) {
		return this.holders.oldest(end, key).thenCompose((holder) -> {
			if (holder == null) {
				return CompletableFuture.completedStage(false);
			}
			LockMode mode = Objects.requireNonNull(EtcdKeys.modeOf(holder.getKey()));
			if (mode != LockMode.EXCLUSIVE) {
				return forceReleaseOfGroup(end, LockTarget.of(key, mode), holder, cooldown);
			}
			long revision = holder.getCreateRevision();
			List<EtcdPlace> places = List.of(new EtcdPlace(LockTarget.of(key, mode), holder.getKey()));
			return release(end, places, revision, List.of(delete(places.get(0))), cooldown).thenApply((answer) -> {
				EtcdQueueEntry own = this.sessions.findHeld(EtcdKeys.ownerOf(holder.getKey()), revision);
				if (own != null) {
					this.givenUp.lose(own);
				}
				return answer.hasSucceeded(key);
			});
		});
	}

	/**
	 * Delete all entries of a group, provided that one of its members still holds the
	 * lock. This includes those that wait, whose contenders then enter the queue anew.
	 * @param holder the entry of a member
	 */
	private CompletionStage<Boolean> forceReleaseOfGroup(long end, LockTarget target, KeyValue holder,
			Duration cooldown) {
		EtcdKeys.Range members = this.keys.members(target.key(), target.mode());
		Op delete = Op.delete(members.from(), DeleteOption.builder().withRange(members.to()).build());
		List<EtcdPlace> places = List.of(new EtcdPlace(target, holder.getKey()));
		return release(end, places, holder.getCreateRevision(), List.of(delete), cooldown).thenCompose((answer) -> {
			if (answer.isFailed()) {
				// This member has left, but there may be others.
				return forceRelease(end, target.key(), cooldown);
			}
			boolean succeeded = answer.hasSucceeded(target.key());
			this.sessions.held(target.key(), target.mode())
				.stream()
				.filter((own) -> own.revision() < answer.revision())
				.forEach(this.givenUp::lose);
			return CompletableFuture.completedStage(succeeded);
		});
	}

	private CompletionStage<CountedAnswer> release(List<EtcdPlace> places, long revision, Duration cooldown,
			boolean byName) {
		long end = this.requests.defaultEnd();
		if (byName) {
			return this.queue.leave(end, places.get(0).name(), revision);
		}
		return (places.get(0).target().isGroup() && !isNone(cooldown)) ? keep(end, places, revision, cooldown)
				: release(end, places, revision, places.stream().map(EtcdReleases::delete).toList(), cooldown);
	}

	private CompletionStage<CountedAnswer> releaseAgain(List<EtcdPlace> places, long revision, long takenUntil) {
		Duration cooldown = Duration.ofNanos(Math.max(0, takenUntil - this.requests.now()));
		return release(places, revision, cooldown, isNone(cooldown) && places.size() == 1);
	}

	private static Op delete(EtcdPlace place) {
		return Op.delete(place.name(), DeleteOption.DEFAULT);
	}

	private static boolean isNone(Duration cooldown) {
		return cooldown.isZero() || cooldown.isNegative();
	}

	/**
	 * Delete the entry of a holder and begin the cooldowns of its keys, if the entry
	 * still exists.
	 * @param end when etcd must have answered
	 * @param places the places of the entry
	 * @param revision its create revision
	 * @param deletes delete the entry
	 * @param cooldown how long the cooldown lasts; zero for none
	 */
	private CompletionStage<CountedAnswer> release(long end, List<EtcdPlace> places, long revision, List<Op> deletes,
			Duration cooldown) {
		if (isNone(cooldown)) {
			return this.queue.ifHeld(end, places, revision, deletes);
		}
		ByteSequence value = ByteSequence.from(String.valueOf(cooldown.toMillis()), StandardCharsets.UTF_8);
		return cool(end, cooldown, (lease) -> {
			PutOption attached = PutOption.builder().withLeaseId(lease).build();
			List<Op> then = new ArrayList<>(deletes);
			places.forEach((place) -> then.add(Op.put(this.keys.cooldown(place.key()), value, attached)));
			return this.queue.ifHeld(end, places, revision, then);
		});
	}

	/**
	 * Keep the entry of a member of a group for its cooldown, if it still exists.
	 */
	private CompletionStage<CountedAnswer> keep(long end, List<EtcdPlace> places, long revision, Duration cooldown) {
		ByteSequence value = EtcdEntryValue.cooling(this.clock.wallMillis()).toBytes();
		return cool(end, cooldown, (lease) -> {
			PutOption attached = PutOption.builder().withLeaseId(lease).build();
			return this.queue.ifHeld(end, places, revision,
					places.stream().<Op>map((place) -> Op.put(place.name(), value, attached)).toList());
		});
	}

	/**
	 * Begin a cooldown. Leases of etcd last whole seconds, so this JVM revokes the one of
	 * the cooldown when its time is over.
	 * @param begin attaches the cooldown to a lease
	 */
	private CompletionStage<CountedAnswer> cool(long end, Duration cooldown,
			LongFunction<CompletionStage<CountedAnswer>> begin) {
		long seconds = Math.max(SHORTEST_LEASE_SECONDS, cooldown.plusMillis(1_999).toSeconds());
		return this.requests.grant(end, seconds).thenCompose((lease) -> begin.apply(lease.id()).thenApply((answer) -> {
			this.clock.schedule(answer.isFailed() ? Duration.ZERO : cooldown, () -> revoke(lease.id()));
			return answer;
		}));
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
		return this.queue.deleteAll(all.stream().flatMap((entry) -> entry.names().stream()).toList());
	}

	CompletionStage<Void> abandon(List<Orphan> orphans) {
		for (Orphan orphan : orphans) {
			EtcdQueueEntry entry = this.sessions.find(orphan.ownerId());
			if (entry != null) {
				this.givenUp.forget(entry, false);
			}
		}
		return this.queue.deleteAll(orphans.stream()
			.flatMap((orphan) -> this.keys.places(orphan.target(), orphan.ownerId()).stream())
			.map(EtcdPlace::name)
			.toList());
	}

}
