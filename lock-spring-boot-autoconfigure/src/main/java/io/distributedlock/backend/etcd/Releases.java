package io.distributedlock.backend.etcd;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.kv.TxnResponse;
import io.etcd.jetcd.op.Op;
import io.etcd.jetcd.options.DeleteOption;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.distributedlock.LockUnavailableException;
import io.distributedlock.backend.LeaseReleases;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.Orphan;

/**
 * Releases locks, and gives up places in line.
 */
final class Releases implements LeaseReleases {

	private static final Logger logger = LoggerFactory.getLogger(Releases.class);

	/**
	 * Etcd takes no more than 128 operations in a transaction, unless it is told to.
	 */
	static final int BATCH = 100;

	private final EtcdLink link;

	private final Calls calls;

	private final EtcdKeys keys;

	private final Line line;

	private final Places places;

	private final CooldownLeases cooldowns;

	private final Doubts doubts;

	Releases(EtcdLink link, Calls calls, EtcdKeys keys, Line line, Places places, CooldownLeases cooldowns,
			Doubts doubts) {
		this.link = link;
		this.calls = calls;
		this.keys = keys;
		this.line = line;
		this.places = places;
		this.cooldowns = cooldowns;
		this.doubts = doubts;
	}

	@Override
	public CompletionStage<Boolean> release(LeaseGrant grant, Duration cooldown) {
		long revision = Place.revisionOf(grant.token().first());
		if (Place.firstToken(revision) != grant.token().first()) {
			return CompletableFuture.completedStage(false);
		}
		ByteSequence name = this.keys.place(grant.target().key(), grant.ownerId());
		Place place = this.places.findHeld(name, revision);
		if (place == null) {
			return release(grant.target().key(), name, revision, cooldown);
		}
		long takenUntil = this.calls.now() + cooldown.toNanos();
		boolean settled = place.giveUp();
		return release(grant.target().key(), name, revision, cooldown).whenComplete((stood, fault) -> {
			if (fault != null) {
				this.doubts.addRelease(place, () -> releaseAgain(place, revision, takenUntil));
			}
			this.places.remove(place, settled && fault == null);
		});
	}

	/**
	 * Release a lock again that etcd has not answered for: nothing else would end it
	 * while the session lives.
	 */
	private CompletionStage<?> releaseAgain(Place place, long revision, long takenUntil) {
		Duration cooldown = Duration.ofNanos(Math.max(0, takenUntil - this.calls.now()));
		long end = this.calls.defaultEnd();
		return this.cooldowns.begin(end, place.target().key(), cooldown, (begun) -> {
			Transaction leaving = this.line.leave(place.name(), revision, begun);
			return this.calls.call(end, () -> this.link.commit(leaving)).thenApply(TxnResponse::isSucceeded);
		});
	}

	private CompletionStage<Boolean> release(String key, ByteSequence name, long revision, Duration cooldown) {
		long end = this.calls.defaultEnd();
		return this.cooldowns.begin(end, key, cooldown, (begun) -> release(end, name, revision, begun));
	}

	private CompletableFuture<Boolean> release(long end, ByteSequence name, long revision, List<Op> after) {
		Transaction leaving = this.line.leave(name, revision, after);
		AtomicInteger sends = new AtomicInteger();
		return this.calls.call(end, () -> {
			sends.incrementAndGet();
			return this.link.commit(leaving);
		}).thenApply((answer) -> {
			if (!answer.isSucceeded() && sends.get() > 1) {
				// What was sent again can't tell its own success from a loss.
				throw new LockUnavailableException("The etcd of the locks has not answered the release in time,"
						+ " and the lock is no longer held now");
			}
			return answer.isSucceeded();
		});
	}

	/**
	 * Give up a place, and wait for the answer.
	 */
	CompletionStage<?> leave(long end, Place place) {
		boolean settled = place.giveUp();
		return this.calls.call(end, () -> this.link.commit(delete(List.of(place.name()))))
			.whenComplete((answer, fault) -> {
				if (fault != null) {
					drop(place);
				}
				else {
					this.places.remove(place, settled);
				}
			});
	}

	/**
	 * Give up a place in the background.
	 */
	void drop(Place place) {
		this.places.remove(place);
		this.doubts.clear(place);
	}

	/**
	 * Give up many places, and wait for it a while.
	 */
	void leaveAll(List<Place> all, Duration timeout) {
		all.forEach(this.places::remove);
		CompletableFuture<?> left = deleteAll(all.stream().map(Place::name).toList());
		try {
			left.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		catch (Exception ex) {
			logger.debug("{} places in line could not be given up; they end with the session", all.size(), ex);
		}
	}

	@Override
	public CompletionStage<Void> abandon(List<Orphan> orphans) {
		List<ByteSequence> names = new ArrayList<>(orphans.size());
		for (Orphan orphan : orphans) {
			ByteSequence name = this.keys.place(orphan.target().key(), orphan.ownerId());
			@Nullable Place place = this.places.find(name);
			if (place != null) {
				this.places.remove(place);
			}
			names.add(name);
		}
		return deleteAll(names);
	}

	/**
	 * Delete keys by their names, whatever they are.
	 */
	CompletableFuture<Void> deleteAll(List<ByteSequence> names) {
		List<CompletableFuture<TxnResponse>> sent = new ArrayList<>();
		for (int from = 0; from < names.size(); from += BATCH) {
			List<ByteSequence> some = names.subList(from, Math.min(from + BATCH, names.size()));
			sent.add(this.calls.call(() -> this.link.commit(delete(some))));
		}
		return CompletableFuture.allOf(sent.toArray(CompletableFuture[]::new));
	}

	static Transaction delete(List<ByteSequence> names) {
		// Names are those of one attempt each, so that nothing else can be meant.
		return Transaction
			.of(names.stream().distinct().<Op>map((name) -> Op.delete(name, DeleteOption.DEFAULT)).toList());
	}

}
