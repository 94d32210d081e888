package io.distributedlock.backend.etcd;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import io.etcd.jetcd.ByteSequence;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.distributedlock.backend.call.ManyAnswers;
import io.distributedlock.spi.CompletionCauses;
import io.distributedlock.spi.LockClock;

/**
 * Deletes entries that this JVM has given up, and that etcd may still have or may create
 * later. A request that was not answered can be executed at any time, even after a later
 * request on another channel.
 * <p>
 * Such an entry is forgotten when a deletion is answered that was sent after all earlier
 * requests had been answered, or when its session ends. Until then it is deleted
 * repeatedly: every second for the first half minute, and every minute after that. The
 * half minute starts again when a deletion fails. It also starts again on each new
 * channel and when etcd answers again, and all entries are then deleted immediately.
 */
final class GivenUpEntries {

	private static final Logger logger = LoggerFactory.getLogger(GivenUpEntries.class);

	private static final Duration INTERVAL = Duration.ofSeconds(1);

	private static final Duration LONG_INTERVAL = Duration.ofMinutes(1);

	private static final Duration YOUNG = Duration.ofSeconds(30);

	private final EtcdLockQueue queue;

	private final LockClock clock;

	private final Map<ByteSequence, GivenUp> entries = new ConcurrentHashMap<>();

	// These are guarded by the monitor. Etcd is not called while it is held.
	private LockClock.@Nullable Timeout next;

	private long lastRoundOfAll;

	private boolean ended;

	GivenUpEntries(EtcdLockQueue queue, LockClock clock) {
		this.queue = queue;
		this.clock = clock;
		this.lastRoundOfAll = clock.nanoTime();
	}

	/**
	 * Give up an entry, and wait for the answer.
	 */
	CompletionStage<?> leave(long end, EtcdQueueEntry entry) {
		boolean settled = entry.giveUp();
		return this.queue.delete(end, entry.names()).whenComplete((answer, fault) -> {
			if (fault != null) {
				drop(entry);
			}
			else {
				forget(entry, settled);
			}
		});
	}

	/**
	 * Give up an entry in the background.
	 */
	void drop(EtcdQueueEntry entry) {
		forget(entry, false);
		delete(List.of(add(entry, null)));
	}

	/**
	 * Give up an entry.
	 * @param settled whether it can't come back, because its deletion was sent after all
	 * requests to put it there had been answered
	 */
	void forget(EtcdQueueEntry entry, boolean settled) {
		entry.giveUp();
		if (entry.session().entries().remove(entry) && !settled && entry.mayComeBack()) {
			add(entry, null);
		}
	}

	/**
	 * Give up an entry whose release was not answered. The release is repeated before the
	 * entry is deleted, since the cooldown begins with the release. If neither were
	 * repeated, the lock would stay held while the session lives.
	 * @param release sends the release again; completed when etcd has answered, whatever
	 * the answer is
	 */
	void releaseAgain(EtcdQueueEntry entry, Supplier<CompletionStage<?>> release) {
		add(entry, release);
		forget(entry, false);
	}

	/**
	 * Give up an entry that was taken away from its holder.
	 */
	void lose(EtcdQueueEntry entry) {
		entry.giveUp();
		if (entry.mayComeBack()) {
			add(entry, null);
		}
		entry.session().entries().lose(entry.ownerId());
	}

	private GivenUp add(EtcdQueueEntry entry, @Nullable Supplier<CompletionStage<?>> release) {
		GivenUp added = new GivenUp(entry, release);
		added.renew(this.clock.nanoTime());
		GivenUp due = this.entries.merge(entry.name(), added,
				(known, later) -> (later.release != null || known.isOver()) ? later : known);
		plan();
		return due;
	}

	/**
	 * Delete all entries, since etcd answers again or is asked through a new channel.
	 */
	void deleteAll() {
		long now = this.clock.nanoTime();
		this.entries.values().forEach((given) -> given.renew(now));
		deleteDue();
	}

	int size() {
		return this.entries.size();
	}

	synchronized void end() {
		this.ended = true;
		if (this.next != null) {
			this.next.cancel();
		}
		this.entries.clear();
	}

	private synchronized void plan() {
		if (!this.ended && this.next == null && !this.entries.isEmpty()) {
			this.next = this.clock.schedule(INTERVAL, this::round);
		}
	}

	private void round() {
		synchronized (this) {
			this.next = null;
		}
		deleteDue();
		plan();
	}

	private void deleteDue() {
		long now = this.clock.nanoTime();
		boolean all;
		synchronized (this) {
			all = now - this.lastRoundOfAll >= LONG_INTERVAL.toNanos();
			if (all) {
				this.lastRoundOfAll = now;
			}
		}
		// Entries that end with their session are forgotten. By now the attempt may have
		// put an entry of the same name there in the next session, so this name must not
		// be deleted.
		this.entries.values().removeIf(GivenUp::isOver);
		delete(this.entries.values().stream().filter((given) -> all || given.youngUntil - now > 0).toList());
	}

	private void delete(List<GivenUp> due) {
		List<GivenUp> plain = new ArrayList<>(due.size());
		for (GivenUp given : due) {
			Supplier<CompletionStage<?>> release = given.release;
			if (release != null) {
				send(List.of(given), release);
			}
			else {
				plain.add(given);
			}
		}
		ManyAnswers.chunks(plain, EtcdTxn.BATCH)
			.forEach((some) -> send(some, () -> this.queue
				.deleteAll(some.stream().flatMap((given) -> given.entry.names().stream()).toList())));
	}

	private void send(List<GivenUp> some, Supplier<? extends CompletionStage<?>> request) {
		// Determined before the deletion is sent, since a request that is answered later
		// may be executed after it.
		List<GivenUp> settled = some.stream().filter((given) -> given.entry.giveUp()).toList();
		request.get().whenComplete((done, fault) -> {
			if (fault == null) {
				some.forEach((given) -> given.release = null);
				settled.forEach((given) -> this.entries.remove(given.entry.name(), given));
				return;
			}
			logger.debug("{} entries could not be given up yet", some.size(), fault);
			if (!EtcdFaults.isRefused(CompletionCauses.unwrap(fault))) {
				long now = this.clock.nanoTime();
				some.forEach((given) -> given.renew(now));
			}
		});
	}

	/**
	 * An entry that may exist, or may be created later.
	 */
	private static final class GivenUp {

		private final EtcdQueueEntry entry;

		// Set to null by its answer; sending it once more does no harm.
		private volatile @Nullable Supplier<CompletionStage<?>> release;

		private volatile long youngUntil;

		GivenUp(EtcdQueueEntry entry, @Nullable Supplier<CompletionStage<?>> release) {
			this.entry = entry;
			this.release = release;
		}

		boolean isOver() {
			return !this.entry.session().isOpen();
		}

		void renew(long now) {
			this.youngUntil = now + YOUNG.toNanos();
		}

	}

}
