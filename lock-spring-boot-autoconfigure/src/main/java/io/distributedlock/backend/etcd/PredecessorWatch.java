package io.distributedlock.backend.etcd;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.etcd.jetcd.ByteSequence;
import org.jspecify.annotations.Nullable;

import io.distributedlock.spi.LockClock;

/**
 * Wakes a waiter when its own entry is gone, or enough of those before it.
 */
final class PredecessorWatch {

	private static final Duration WATCH_AGAIN = Duration.ofMillis(500);

	private final EtcdRequests requests;

	private final LockClock clock;

	private final Runnable wakeUp;

	private final VanishedHolders vanished;

	// All of these are guarded by the monitor. Etcd is not called while it is held.
	private final Map<ByteSequence, SeenPredecessor> seen = new LinkedHashMap<>();

	private int allowed;

	private @Nullable KeyWatch ownWatch;

	private @Nullable KeyWatch watch;

	PredecessorWatch(EtcdRequests requests, LockClock clock, Runnable wakeUp) {
		this.requests = requests;
		this.clock = clock;
		this.wakeUp = wakeUp;
		this.vanished = new VanishedHolders(clock);
	}

	/**
	 * Return the sessions to look for in order to learn how those entries went that were
	 * seen before the own one: by their leases, the revisions at which to look, zero for
	 * now.
	 */
	synchronized Map<Long, Long> sessions() {
		return SeenPredecessor.sessions(this.seen.values());
	}

	/**
	 * Look for sessions only as they are now, since history was compacted. At worst the
	 * waiter then waits without need for a session that ended later than an entry.
	 */
	synchronized void forgetRevisions() {
		this.seen.values().forEach(SeenPredecessor::forgetRevision);
	}

	/**
	 * Take note of what a look has shown.
	 * @return {@code false} if it is still unknown of an entry that is gone how it went
	 */
	synchronized boolean note(EtcdQueueSnapshot snapshot) {
		List<EtcdPredecessor> standing = snapshot.ahead().seen();
		Set<ByteSequence> names = standing.stream().map(EtcdPredecessor::name).collect(Collectors.toSet());
		long now = this.clock.nanoTime();
		List<SeenPredecessor> gone = this.seen.values()
			.stream()
			.filter((entry) -> !names.contains(entry.predecessor().name()))
			.toList();
		boolean sure = true;
		for (SeenPredecessor entry : gone) {
			entry.gone(now, 0);
			Boolean vanished = entry.isGoneWithItsSession(snapshot.sessions());
			sure &= vanished != null;
			if (vanished != null) {
				this.seen.remove(entry.predecessor().name());
			}
			if (Boolean.TRUE.equals(vanished)) {
				this.vanished.add(entry);
			}
		}
		this.vanished.forgetBehind(standing);
		return sure;
	}

	/**
	 * Return how long an entry that is not kept from the lock by those before it still
	 * has to wait, because holders are gone together with their sessions and may not know
	 * yet.
	 */
	synchronized Duration grace(EtcdPlace own, EtcdQueueSnapshot snapshot) {
		return this.vanished.grace(own.target().mode(), snapshot.ahead());
	}

	/**
	 * Watch the entries that a look has shown, unless they are watched already. The
	 * waiter is woken to look again if one of them may have gone before its watch began.
	 */
	void begin(EtcdPlace own, EtcdQueueSnapshot snapshot) {
		EtcdQueueAhead ahead = snapshot.ahead();
		KeyWatch ofOwn = null;
		KeyWatch ofOthers = null;
		KeyWatch former = null;
		boolean over;
		synchronized (this) {
			if (this.ownWatch == null || !this.ownWatch.isOf(own.name())) {
				this.ownWatch = new KeyWatch(own.name(), null, (name, lease, revision) -> this.wakeUp.run(),
						this::wakeUpLater);
				ofOwn = this.ownWatch;
			}
			this.allowed = ahead.allowed();
			ByteSequence first = ahead.from();
			if (first != null && ahead.isInTheWay() && !isWatched(first, ahead)) {
				former = this.watch;
				this.watch = new KeyWatch(first, ahead.to(), this::gone, this::wakeUpLater);
				ofOthers = this.watch;
			}
			ahead.seen().forEach((entry) -> this.seen.putIfAbsent(entry.name(), new SeenPredecessor(entry)));
			// The number of permits may have changed.
			over = ahead.isInTheWay() && isOver();
		}
		if (former != null) {
			former.end();
		}
		long from = snapshot.revision() + 1;
		if (ofOwn != null) {
			// Its own entry hardly ever goes.
			ofOwn.begin(this.requests, from);
		}
		if (ofOthers != null) {
			ofOthers.beginNow(this.requests, from, this.wakeUp);
		}
		if (over) {
			this.wakeUp.run();
		}
	}

	private boolean isWatched(ByteSequence from, EtcdQueueAhead ahead) {
		// The watch has not counted the deletion of an entry that was not known.
		return this.watch != null && this.watch.isOf(from)
				&& ahead.seen().stream().allMatch((entry) -> this.seen.containsKey(entry.name()));
	}

	private void gone(ByteSequence name, long leaseId, long revision) {
		synchronized (this) {
			SeenPredecessor entry = this.seen.get(name);
			if (entry == null) {
				return;
			}
			if (entry.isOfOtherLease(leaseId)) {
				this.seen.remove(name);
			}
			else {
				entry.gone(this.clock.nanoTime(), revision);
			}
			if (!isOver()) {
				return;
			}
		}
		this.wakeUp.run();
	}

	private boolean isOver() {
		return this.seen.values().stream().filter((entry) -> !entry.isGone()).count() <= this.allowed;
	}

	/**
	 * Wake the waiter later to look again, since a watch has ended.
	 */
	private void wakeUpLater() {
		this.clock.schedule(WATCH_AGAIN, this.wakeUp);
	}

	/**
	 * End the watches, and forget what was seen.
	 */
	void end() {
		List<KeyWatch> open = new ArrayList<>(2);
		synchronized (this) {
			Stream.of(this.ownWatch, this.watch).filter(Objects::nonNull).forEach(open::add);
			this.seen.clear();
			this.vanished.clear();
			this.ownWatch = null;
			this.watch = null;
		}
		open.forEach(KeyWatch::end);
	}

}
