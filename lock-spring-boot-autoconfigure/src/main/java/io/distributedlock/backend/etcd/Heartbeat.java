package io.distributedlock.backend.etcd;

import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import io.distributedlock.spi.LockClock;

/**
 * Keeps a session alive: asks each sixth of its ttl, sooner where an answer was a fault,
 * and whatever became of the one before. Finds out that the session is lost: by its own
 * clock, by the answer that it is gone, and at once by a watch on the session's own key.
 */
final class Heartbeat {

	/**
	 * No revision in particular.
	 */
	private static final long NOW = 0;

	private static final Duration WATCH_AGAIN = Duration.ofSeconds(1);

	private static final Duration LONGEST_PAUSE = Duration.ofMillis(500);

	private final Session session;

	private final EtcdRequests requests;

	private final EtcdKeys keys;

	private final LockClock clock;

	private final BiConsumer<Session, String> onLost;

	private final Supplier<Duration> longestPause;

	// These are guarded by the monitor. Etcd is not called while it is held.
	private LockClock.@Nullable Timeout nextBeat;

	private long nextBeatAt;

	private LockClock.@Nullable Timeout deadline;

	private @Nullable KeyWatch watch;

	private boolean ended;

	Heartbeat(Session session, EtcdRequests requests, EtcdKeys keys, LockClock clock,
			BiConsumer<Session, String> onLost, Supplier<Duration> longestPause) {
		this.session = session;
		this.requests = requests;
		this.keys = keys;
		this.clock = clock;
		this.onLost = onLost;
		this.longestPause = longestPause;
	}

	Session session() {
		return this.session;
	}

	void begin() {
		beatAfter(interval());
		checkDeadline();
		watch(this.session.openedAt() + 1);
	}

	private Duration interval() {
		Duration sixth = this.session.ttl().dividedBy(6);
		Duration longest = this.longestPause.get();
		return (longest.compareTo(sixth) < 0) ? longest : sixth;
	}

	/**
	 * Ask within a time.
	 */
	void beatWithin(Duration pause) {
		long at = this.clock.nanoTime() + pause.toNanos();
		boolean late;
		synchronized (this) {
			late = this.nextBeatAt - at > 0;
		}
		if (late) {
			beatAfter(pause);
		}
	}

	private synchronized void beatAfter(Duration pause) {
		if (this.nextBeat != null) {
			this.nextBeat.cancel();
		}
		this.nextBeatAt = this.clock.nanoTime() + pause.toNanos();
		this.nextBeat = isEnded() ? null : this.clock.schedule(pause, this::beat);
	}

	/**
	 * Ask once.
	 * @return what etcd answers, when it is taken note of
	 */
	CompletionStage<EtcdLink.LeaseAnswer> beat() {
		beatAfter(interval());
		Confirmation sent = Confirmation.sentNow(this.clock, this.session.ttl());
		return this.requests.keepAlive(this.session.leaseId()).whenComplete((answer, fault) -> {
			if (fault == null) {
				this.session.confirm(sent.of(answer.ttlSeconds()));
			}
			else if (EtcdFaults.isLeaseGone(EtcdFaults.causeOf(fault))) {
				lost("etcd no longer knows it");
			}
			else {
				Duration pause = interval().dividedBy(4);
				beatAfter((pause.compareTo(LONGEST_PAUSE) < 0) ? pause : LONGEST_PAUSE);
			}
		});
	}

	private void checkDeadline() {
		long left = this.session.deadline() - this.clock.nanoTime();
		if (left <= 0) {
			lost("it was not confirmed in time");
			return;
		}
		synchronized (this) {
			this.deadline = isEnded() ? null : this.clock.schedule(Duration.ofNanos(left), this::checkDeadline);
		}
	}

	/**
	 * End, whether or not another session took the place of this one meanwhile.
	 */
	private void lost(String reason) {
		end();
		this.onLost.accept(this.session, reason);
	}

	/**
	 * Watch the session's key. A watch that was ended begins anew from now on: what it
	 * has missed the next sign of life tells.
	 */
	private void watch(long from) {
		KeyWatch next = new KeyWatch(this.keys.session(this.session.leaseId()),
				(revision) -> lost("it was ended in etcd"), () -> this.clock.schedule(WATCH_AGAIN, () -> watch(NOW)));
		synchronized (this) {
			if (isEnded()) {
				return;
			}
			this.watch = next;
		}
		next.begin(this.requests.link(), from);
	}

	/**
	 * Return whether there is nothing more to do: a session that is lost must not be kept
	 * alive.
	 */
	private synchronized boolean isEnded() {
		return this.ended || this.session.isLost();
	}

	void end() {
		KeyWatch open;
		synchronized (this) {
			this.ended = true;
			open = this.watch;
			if (this.nextBeat != null) {
				this.nextBeat.cancel();
			}
			if (this.deadline != null) {
				this.deadline.cancel();
			}
		}
		if (open != null) {
			open.end();
		}
	}

}
