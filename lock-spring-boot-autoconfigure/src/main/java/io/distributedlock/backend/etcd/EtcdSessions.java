package io.distributedlock.backend.etcd;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;

import io.etcd.jetcd.op.Op;
import io.etcd.jetcd.options.PutOption;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.distributedlock.LockMode;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.spi.BackendListener;
import io.distributedlock.spi.ClockReading;
import io.distributedlock.spi.CompletionCauses;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.OwnerId;

/**
 * Opens the session of this JVM, and replaces it by another one after it was lost.
 */
final class EtcdSessions {

	private static final Logger logger = LoggerFactory.getLogger(EtcdSessions.class);

	private static final Duration REVOKE_AGAIN = Duration.ofSeconds(1);

	private final EtcdRequests requests;

	private final EtcdKeys keys;

	private final EtcdLockSettings settings;

	private final LockClock clock;

	private final BackendListener listener;

	// Sessions that are lost here, and may still be alive in etcd.
	private final Set<EtcdSession> lost = ConcurrentHashMap.newKeySet();

	// Replaced under the monitor.
	private volatile @Nullable EtcdSession latest;

	// These are guarded by the monitor. Neither etcd nor the engine is called while it is
	// held.
	private @Nullable CompletableFuture<EtcdSession> opening;

	private boolean stopped;

	EtcdSessions(EtcdRequests requests, EtcdKeys keys, EtcdLockSettings settings, LockClock clock,
			BackendListener listener) {
		this.requests = requests;
		this.keys = keys;
		this.settings = settings;
		this.clock = clock;
		this.listener = listener;
	}

	/**
	 * Return the open session, or open one.
	 */
	CompletionStage<EtcdSession> open() {
		CompletableFuture<EtcdSession> mine = new CompletableFuture<>();
		synchronized (this) {
			if (this.stopped) {
				return CompletableFuture.failedStage(new LockUnavailableException("The locks in etcd were stopped"));
			}
			EtcdSession open = current();
			if (open != null) {
				return CompletableFuture.completedStage(open);
			}
			if (this.opening != null) {
				return this.opening;
			}
			this.opening = mine;
		}
		create().whenComplete((session, fault) -> {
			synchronized (this) {
				this.opening = null;
			}
			if (fault != null) {
				mine.completeExceptionally(notOpened(CompletionCauses.unwrap(fault)));
			}
			else {
				mine.complete(session);
			}
		});
		return mine;
	}

	private static Throwable notOpened(Throwable fault) {
		return EtcdFaults.isRefused(fault) ? fault : new LockUnavailableException(
				EtcdFaults.explain(fault).getMessage() + " (no session could be opened)", fault);
	}

	private CompletionStage<EtcdSession> create() {
		ClockReading sent = ClockReading.now(this.clock);
		long seconds = this.settings.sessionTtl().toSeconds();
		return this.requests.grant(this.requests.defaultEnd(), seconds).thenCompose((granted) -> {
			EtcdSession session = new EtcdSession(granted, sent, this.requests, this.keys, this.settings, this.clock,
					this.listener, this::revokeLost);
			Op put = Op.put(this.keys.session(granted.id()), session.value(1, null).toBytes(),
					PutOption.builder().withLeaseId(granted.id()).build());
			return this.requests.commit(EtcdTxn.of(List.of(put))).thenApply((done) -> {
				begin(session, done.getHeader().getRevision());
				return session;
			});
		});
	}

	private void begin(EtcdSession session, long openedAt) {
		boolean late;
		synchronized (this) {
			late = this.stopped;
			if (!late) {
				this.latest = session;
			}
		}
		if (late) {
			revoke(session);
		}
		else {
			session.begin(openedAt);
		}
	}

	/**
	 * Return the open session, or {@code null}.
	 */
	@Nullable EtcdSession current() {
		EtcdSession latest = this.latest;
		return (latest != null && latest.isOpen()) ? latest : null;
	}

	/**
	 * Return the entry of an owner id.
	 */
	@Nullable EtcdQueueEntry find(OwnerId ownerId) {
		EtcdSession latest = this.latest;
		return (latest != null) ? latest.entries().find(ownerId) : null;
	}

	/**
	 * Return the held entry with the given owner id and revision.
	 */
	@Nullable EtcdQueueEntry findHeld(OwnerId ownerId, long revision) {
		EtcdSession latest = this.latest;
		EtcdQueueEntry held = (latest != null) ? latest.entries().findHeld(ownerId) : null;
		return (held != null && held.revision() == revision) ? held : null;
	}

	/**
	 * Return the entries with which a key is held in a mode.
	 */
	List<EtcdQueueEntry> held(String key, LockMode mode) {
		EtcdSession latest = this.latest;
		return (latest != null) ? latest.entries()
			.held()
			.stream()
			.filter((entry) -> entry.target().mode() == mode && entry.target().keys().contains(key))
			.toList() : List.of();
	}

	/**
	 * Return the entries that wait.
	 */
	List<EtcdQueueEntry> waiting() {
		EtcdSession latest = this.latest;
		return (latest != null) ? latest.entries().waiting() : List.of();
	}

	/**
	 * Return a stage that completes when the open session is reliable, or immediately if
	 * no session is open.
	 */
	CompletionStage<?> trusted() {
		EtcdSession open = current();
		return (open != null) ? open.trusted() : CompletableFuture.completedStage(null);
	}

	/**
	 * Repeat the revocation of lost sessions whose end etcd has not acknowledged.
	 */
	void revokeLost() {
		this.lost.forEach(this::revoke);
	}

	/**
	 * Revoke a lost session repeatedly until etcd acknowledges it, for at most twice its
	 * TTL. Its entries keep other clients out until etcd has ended it.
	 */
	private void revokeLost(EtcdSession session) {
		this.lost.add(session);
		revokeUntil(this.clock.nanoTime() + session.ttl().multipliedBy(2).toNanos(), session);
	}

	private void revokeUntil(long ended, EtcdSession session) {
		if (ended - this.clock.nanoTime() <= 0) {
			this.lost.remove(session);
		}
		else if (this.lost.contains(session)) {
			revoke(session);
			this.clock.schedule(REVOKE_AGAIN, () -> revokeUntil(ended, session));
		}
	}

	private CompletableFuture<Void> revoke(EtcdSession session) {
		return this.requests.revoke(session.leaseId()).whenComplete((done, fault) -> {
			if (fault == null) {
				this.lost.remove(session);
			}
			else {
				logger.debug("The session {} could not be revoked", session, fault);
			}
		});
	}

	/**
	 * End the session, and all entries that belong to it.
	 * @return completed when etcd has acknowledged it
	 */
	CompletableFuture<?> stop() {
		EtcdSession ended;
		synchronized (this) {
			this.stopped = true;
			this.lost.clear();
			ended = this.latest;
			this.latest = null;
		}
		if (ended == null || ended.entries().isEnded()) {
			return CompletableFuture.completedFuture(null);
		}
		ended.end();
		return revoke(ended);
	}

}
