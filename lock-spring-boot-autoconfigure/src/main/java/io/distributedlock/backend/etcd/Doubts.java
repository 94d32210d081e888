package io.distributedlock.backend.etcd;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;

import io.etcd.jetcd.ByteSequence;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.distributedlock.spi.LockClock;

/**
 * Clears away places that this JVM has given up, and that etcd may still have or may
 * still be asked to put there: a request that was not answered can be executed at any
 * time, also after a later request of another channel.
 * <p>
 * A doubt ends when a deletion is answered that was sent after all earlier requests had
 * been answered, or with its session. Until then the place is deleted again: each second
 * for the first half minute, and each minute after it. The half minute begins anew when a
 * deletion fails, and on each new channel, where all doubts are looked at immediately.
 */
final class Doubts {

	private static final Logger logger = LoggerFactory.getLogger(Doubts.class);

	private static final Duration SOON = Duration.ofSeconds(1);

	private static final Duration LATER = Duration.ofMinutes(1);

	private static final Duration YOUNG = Duration.ofSeconds(30);

	private final EtcdLockQueue queue;

	private final LockClock clock;

	private final Map<ByteSequence, Doubt> doubts = new ConcurrentHashMap<>();

	// These are guarded by the monitor. Etcd is not called while it is held.
	private LockClock.@Nullable Timeout next;

	private long nextAt;

	private long lastRound;

	private boolean ended;

	Doubts(EtcdLockQueue queue, LockClock clock) {
		this.queue = queue;
		this.clock = clock;
		this.lastRound = clock.nanoTime();
	}

	/**
	 * Doubt a place from now on. It must not be used any more.
	 */
	void add(Place place) {
		Doubt doubt = new Doubt(place, null);
		doubt.renew(this.clock.nanoTime());
		if (this.doubts.putIfAbsent(place.name(), doubt) == null) {
			scheduleWithin(SOON);
		}
	}

	/**
	 * Doubt a release that was not answered. It is repeated before the place is deleted,
	 * since the cooldown begins with it.
	 * @param place the place that was held
	 * @param release sends the release again
	 */
	void addRelease(Place place, Release release) {
		Doubt doubt = new Doubt(place, release);
		doubt.renew(this.clock.nanoTime());
		this.doubts.put(place.name(), doubt);
		scheduleWithin(SOON);
	}

	/**
	 * Doubt a place, and delete it immediately.
	 */
	void clear(Place place) {
		add(place);
		Doubt doubt = this.doubts.get(place.name());
		if (doubt != null) {
			look(List.of(doubt));
		}
	}

	/**
	 * Look at all doubts: etcd answers again, or is asked through a new channel.
	 */
	void lookAtAll() {
		long now = this.clock.nanoTime();
		synchronized (this) {
			this.lastRound = now;
		}
		this.doubts.values().forEach((doubt) -> doubt.renew(now));
		look(List.copyOf(this.doubts.values()));
		scheduleWithin(SOON);
	}

	int size() {
		return this.doubts.size();
	}

	synchronized void end() {
		this.ended = true;
		if (this.next != null) {
			this.next.cancel();
		}
		this.doubts.clear();
	}

	private synchronized void scheduleWithin(Duration pause) {
		long at = this.clock.nanoTime() + pause.toNanos();
		if (this.ended || this.doubts.isEmpty() || (this.next != null && this.nextAt - at <= 0)) {
			return;
		}
		if (this.next != null) {
			this.next.cancel();
		}
		this.nextAt = at;
		this.next = this.clock.schedule(pause, this::round);
	}

	private void round() {
		long now = this.clock.nanoTime();
		boolean all;
		synchronized (this) {
			this.next = null;
			all = now - this.lastRound >= LATER.toNanos();
			if (all) {
				this.lastRound = now;
			}
		}
		List<Doubt> due = new ArrayList<>();
		boolean young = false;
		for (Doubt doubt : this.doubts.values()) {
			if (!doubt.place.session().isOpen()) {
				this.doubts.remove(doubt.place.name(), doubt);
			}
			else if (all || doubt.isYoung(now)) {
				due.add(doubt);
			}
			young |= doubt.isYoung(now);
		}
		look(due);
		scheduleWithin(young ? SOON : LATER);
	}

	private void look(List<Doubt> due) {
		List<Doubt> plain = new ArrayList<>(due.size());
		for (Doubt doubt : due) {
			Release release = doubt.release;
			if (release != null) {
				releaseAgain(doubt, release);
			}
			else {
				plain.add(doubt);
			}
		}
		for (int from = 0; from < plain.size(); from += Transaction.BATCH) {
			delete(plain.subList(from, Math.min(from + Transaction.BATCH, plain.size())));
		}
	}

	private void releaseAgain(Doubt doubt, Release release) {
		// Before it is sent, as with a deletion.
		boolean settled = doubt.place.giveUp();
		release.send().whenComplete((answered, fault) -> {
			if (fault != null) {
				failed(List.of(doubt), fault);
			}
			else {
				doubt.release = null;
				if (settled) {
					this.doubts.remove(doubt.place.name(), doubt);
				}
			}
		});
	}

	private void delete(List<Doubt> some) {
		// Before it is sent: what is answered later may be executed after it.
		List<Doubt> settled = some.stream().filter((doubt) -> doubt.place.giveUp()).toList();
		this.queue.deleteAll(some.stream().map((doubt) -> doubt.place.name()).toList()).whenComplete((done, fault) -> {
			if (fault != null) {
				failed(some, fault);
			}
			else {
				settled.forEach((doubt) -> this.doubts.remove(doubt.place.name(), doubt));
			}
		});
	}

	private void failed(List<Doubt> some, Throwable fault) {
		logger.debug("{} places in line could not be given up yet", some.size(), fault);
		if (!EtcdFaults.isRefused(EtcdFaults.causeOf(fault))) {
			long now = this.clock.nanoTime();
			some.forEach((doubt) -> doubt.renew(now));
		}
	}

	/**
	 * Releases a lock whose release was not answered.
	 */
	@FunctionalInterface
	interface Release {

		/**
		 * Send it.
		 * @return completed when etcd has answered, whatever it says
		 */
		CompletionStage<?> send();

	}

	/**
	 * A place that may be there, or may come to be there.
	 */
	private static final class Doubt {

		private final Place place;

		// Whoever sees that it was answered sets it to null; sending it once more does no
		// harm.
		private volatile @Nullable Release release;

		private volatile long youngUntil;

		Doubt(Place place, @Nullable Release release) {
			this.place = place;
			this.release = release;
		}

		void renew(long now) {
			this.youngUntil = now + YOUNG.toNanos();
		}

		boolean isYoung(long now) {
			return this.youngUntil - now > 0;
		}

	}

}
