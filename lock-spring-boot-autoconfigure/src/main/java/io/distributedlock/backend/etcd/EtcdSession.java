package io.distributedlock.backend.etcd;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.distributedlock.backend.session.ClientSession;
import io.distributedlock.backend.session.SessionHeartbeat;
import io.distributedlock.spi.BackendListener;
import io.distributedlock.spi.ClockReading;
import io.distributedlock.spi.CompletionCauses;
import io.distributedlock.spi.LockClock;

/**
 * A lease of etcd, to which the entries of this JVM are attached. It is kept alive every
 * sixth of its TTL, and sooner after a fault. While an entry waits, the interval is at
 * most the call timeout, or half a second if that is longer. The session is lost when its
 * validity has ended by this JVM's own clock, when an answer shows that it is gone, or
 * when its key is deleted.
 */
final class EtcdSession {

	private static final Logger logger = LoggerFactory.getLogger(EtcdSession.class);

	/**
	 * No particular revision.
	 */
	private static final long NOW = 0;

	private static final Duration WATCH_AGAIN = Duration.ofSeconds(1);

	private static final Duration SHORTEST_ATTENTION = Duration.ofMillis(500);

	private static final Duration LONGEST_PAUSE = Duration.ofMillis(500);

	private final long leaseId;

	private final EtcdRequests requests;

	private final EtcdKeys keys;

	private final EtcdLockSettings settings;

	// The longest time between two keep-alives while an entry waits. A watch depends on a
	// channel, and does not show when that has fallen silent.
	private final Duration attention;

	private final LockClock clock;

	private final Consumer<EtcdSession> onLost;

	private final ClientSession<EtcdQueueEntry> entries;

	private final SessionHeartbeat<EtcdLink.LeaseAnswer> heartbeat;

	private volatile Duration ttl;

	// These are guarded by the monitor. Etcd is not called while it is held.
	private LockClock.@Nullable Timeout deadline;

	private @Nullable KeyWatch watch;

	/**
	 * Create a session.
	 * @param granted the answer of etcd
	 * @param sent when the request was sent
	 * @param settings the settings
	 * @param onLost receives the session once, after its holders are notified
	 */
	EtcdSession(EtcdLink.LeaseAnswer granted, ClockReading sent, EtcdRequests requests, EtcdKeys keys,
			EtcdLockSettings settings, LockClock clock, BackendListener listener, Consumer<EtcdSession> onLost) {
		this.leaseId = granted.id();
		this.requests = requests;
		this.keys = keys;
		this.clock = clock;
		this.settings = settings;
		this.attention = Collections.max(List.of(settings.callTimeout(), SHORTEST_ATTENTION));
		this.onLost = onLost;
		this.ttl = bounded(granted.ttlSeconds());
		this.entries = new ClientSession<>(clock, listener, () -> true, sent, validity(this.ttl));
		this.heartbeat = new SessionHeartbeat<>(this.entries, clock, this::interval, this::keepAlive);
	}

	/**
	 * Begin to keep the session alive.
	 * @param openedAt the revision at which the session's key was written
	 */
	void begin(long openedAt) {
		this.heartbeat.start();
		checkDeadline();
		watch(openedAt + 1);
	}

	long leaseId() {
		return this.leaseId;
	}

	Duration ttl() {
		return this.ttl;
	}

	/**
	 * Return the value of an entry that is attached to the session.
	 * @param span the maximum number of tokens that its grant brings
	 * @param permits the number of permits, or {@code null} if it is no member of a group
	 */
	EtcdEntryValue value(int span, @Nullable String permits) {
		return new EtcdEntryValue(span, this.ttl, this.clock.wallMillis(), permits, this.settings.instanceId());
	}

	/**
	 * Return the entries that are attached to the session. They are contained from before
	 * the first request until they are given up.
	 */
	ClientSession<EtcdQueueEntry> entries() {
		return this.entries;
	}

	boolean isOpen() {
		return !this.entries.validFor().isZero();
	}

	/**
	 * Return a stage that completes when the session is reliable: immediately, unless
	 * this machine stood still since the latest acknowledged keep-alive was sent.
	 */
	CompletionStage<?> trusted() {
		return this.entries.isProven() ? CompletableFuture.completedStage(null)
				: this.requests.call(this.requests.defaultEnd(), (link) -> this.heartbeat.prove());
	}

	/**
	 * Record that an entry has begun to wait.
	 */
	void attend() {
		this.heartbeat.proveWithin(this.attention);
	}

	private Duration interval() {
		Duration sixth = this.ttl.dividedBy(6);
		return this.entries.waiting().isEmpty() ? sixth : Collections.min(List.of(sixth, this.attention));
	}

	private CompletionStage<EtcdLink.LeaseAnswer> keepAlive() {
		ClockReading sent = ClockReading.now(this.clock);
		return this.requests.keepAlive(this.leaseId).whenComplete((answer, fault) -> {
			if (fault == null) {
				acknowledged(sent, answer.ttlSeconds());
			}
			else if (EtcdFaults.isLeaseGone(CompletionCauses.unwrap(fault))) {
				lose("etcd no longer knows it");
			}
			else {
				this.heartbeat.proveWithin(Collections.min(List.of(interval().dividedBy(4), LONGEST_PAUSE)));
			}
		});
	}

	/**
	 * Record an acknowledged keep-alive, with the TTL in etcd's answer.
	 */
	void acknowledged(ClockReading sent, long ttlSeconds) {
		Duration ttl = bounded(ttlSeconds);
		if (this.entries.acknowledged(sent, validity(ttl))) {
			this.ttl = ttl;
		}
	}

	private static Duration bounded(long ttlSeconds) {
		return Duration.ofSeconds(Math.max(0, Math.min(ttlSeconds, EtcdLockSettings.MAX_SESSION_TTL.toSeconds())));
	}

	/**
	 * Return how long a keep-alive proves the session to be valid, which is half of the
	 * TTL less the drift allowance. Etcd keeps the attached keys for the whole TTL. If a
	 * session is ended from outside, waiters wait for half of the TTL instead.
	 */
	private static Duration validity(Duration ttl) {
		return Duration.ofNanos(LockClock.validUntil(0, ttl.dividedBy(2)));
	}

	private void checkDeadline() {
		Duration left = this.entries.validFor();
		if (left.isZero()) {
			lose("it was not confirmed in time");
			return;
		}
		synchronized (this) {
			this.deadline = this.entries.isEnded() ? null : this.clock.schedule(left, this::checkDeadline);
		}
	}

	/**
	 * Watch the session's key. A watch that has ended is replaced by one from now on. A
	 * deletion that was missed is shown by the next keep-alive.
	 */
	private void watch(long from) {
		KeyWatch next = new KeyWatch(this.keys.session(this.leaseId), null,
				(key, lease, revision) -> lose("it was ended in etcd"),
				() -> this.clock.schedule(WATCH_AGAIN, () -> watch(NOW)));
		synchronized (this) {
			if (this.entries.isEnded()) {
				return;
			}
			this.watch = next;
		}
		next.begin(this.requests, from);
	}

	/**
	 * Lose the session and all entries that are attached to it. Holders are notified at
	 * once, and waiters are woken to enter the queue in a new session.
	 */
	void lose(String reason) {
		if (this.entries.end()) {
			logger.warn("Lost the session {} in etcd, and with it all locks of this process: {}", this, reason);
			stop();
			this.onLost.accept(this);
		}
	}

	/**
	 * End the session without reporting its leases as lost.
	 */
	void end() {
		this.entries.endLeases();
		this.entries.end();
		stop();
	}

	private void stop() {
		this.heartbeat.stop();
		KeyWatch open;
		synchronized (this) {
			open = this.watch;
			if (this.deadline != null) {
				this.deadline.cancel();
			}
		}
		if (open != null) {
			open.end();
		}
	}

	@Override
	public String toString() {
		return Long.toHexString(this.leaseId);
	}

}
