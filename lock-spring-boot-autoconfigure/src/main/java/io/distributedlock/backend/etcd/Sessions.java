package io.distributedlock.backend.etcd;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

import io.etcd.jetcd.op.Op;
import io.etcd.jetcd.options.PutOption;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.distributedlock.LockUnavailableException;
import io.distributedlock.spi.LockClock;

/**
 * The session of this JVM: opened when it is first needed, kept alive, and replaced by
 * another after it was lost.
 */
final class Sessions {

	private static final Logger logger = LoggerFactory.getLogger(Sessions.class);

	private static final Duration SHORTEST_ATTENTION = Duration.ofMillis(500);

	private static final Duration REVOKE_AGAIN = Duration.ofSeconds(1);

	private final EtcdRequests requests;

	private final EtcdKeys keys;

	private final EtcdLockSettings settings;

	private final LockClock clock;

	private final Places places;

	private final Set<Unrevoked> unrevoked = ConcurrentHashMap.newKeySet();

	// These three are guarded by the monitor. Neither etcd nor the engine is called while
	// it is held.
	private @Nullable Heartbeat current;

	private @Nullable CompletableFuture<Session> opening;

	private boolean stopped;

	Sessions(EtcdRequests requests, EtcdKeys keys, EtcdLockSettings settings, LockClock clock, Places places) {
		this.requests = requests;
		this.keys = keys;
		this.settings = settings;
		this.clock = clock;
		this.places = places;
	}

	/**
	 * Return the session that is open, or open one.
	 */
	CompletionStage<Session> open() {
		CompletableFuture<Session> mine = new CompletableFuture<>();
		synchronized (this) {
			if (this.stopped) {
				return CompletableFuture.failedStage(new LockUnavailableException("The locks in etcd were stopped"));
			}
			if (this.current != null && this.current.session().isOpen()) {
				return CompletableFuture.completedStage(this.current.session());
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
				mine.completeExceptionally(notOpened(EtcdFaults.causeOf(fault)));
			}
			else {
				begin(session);
				mine.complete(session);
			}
		});
		return mine;
	}

	private static Throwable notOpened(Throwable fault) {
		return EtcdFaults.isRefused(fault) ? fault : new LockUnavailableException(
				EtcdFaults.explain(fault).getMessage() + " (no session could be opened)", fault);
	}

	private CompletionStage<Session> create() {
		Confirmation sent = Confirmation.sentNow(this.clock, this.settings.sessionTtl());
		return this.requests.grant(this.requests.defaultEnd(), this.settings.sessionTtl().toSeconds())
			.thenCompose((answer) -> {
				Session session = new Session(answer.id(), sent.of(answer.ttlSeconds()), this.clock);
				Op put = Op.put(this.keys.session(answer.id()),
						new PlaceValue(1, session.ttl(), this.clock.wallMillis(), this.settings.instanceId()).toBytes(),
						PutOption.builder().withLeaseId(answer.id()).build());
				return this.requests.commit(Transaction.of(List.of(put))).thenApply((done) -> {
					session.opened(done.getHeader().getRevision());
					return session;
				});
			});
	}

	private void begin(Session session) {
		Heartbeat heartbeat = new Heartbeat(session, this.requests, this.keys, this.clock, this::lose,
				this::longestPause);
		boolean late;
		synchronized (this) {
			late = this.stopped;
			if (!late) {
				this.current = heartbeat;
			}
		}
		if (late) {
			revoke(session);
		}
		else {
			heartbeat.begin();
		}
	}

	/**
	 * Return the longest time between two signs of life. Watches depend on a channel, and
	 * do not show when it has fallen silent; so while somebody waits etcd is asked more
	 * often.
	 */
	private Duration longestPause() {
		return this.places.isAnyWaiting() ? attention() : Duration.ofDays(1);
	}

	private Duration attention() {
		Duration callTimeout = this.settings.callTimeout();
		return (callTimeout.compareTo(SHORTEST_ATTENTION) < 0) ? SHORTEST_ATTENTION : callTimeout;
	}

	/**
	 * Take note that somebody has begun to wait.
	 */
	void attend() {
		Heartbeat heartbeat;
		synchronized (this) {
			heartbeat = this.current;
		}
		if (heartbeat != null) {
			heartbeat.beatWithin(attention());
		}
	}

	/**
	 * Lose a session: tell its holders, and see to it that nothing of it is left.
	 */
	void lose(Session session, String reason) {
		if (!session.lose()) {
			return;
		}
		Heartbeat ended = null;
		synchronized (this) {
			if (this.current != null && this.current.session() == session) {
				ended = this.current;
				this.current = null;
			}
		}
		logger.warn("Lost the session {} in etcd, and with it all locks of this process: {}",
				Long.toHexString(session.leaseId()), reason);
		this.places.lose(session);
		if (ended != null) {
			ended.end();
		}
		Unrevoked unrevoked = new Unrevoked(session, this.clock.nanoTime() + session.ttl().multipliedBy(2).toNanos());
		this.unrevoked.add(unrevoked);
		revoke(unrevoked);
	}

	/**
	 * Revoke the lost sessions again whose end etcd has not acknowledged.
	 */
	void revokeLost() {
		this.unrevoked.forEach(this::tryToRevoke);
	}

	/**
	 * Revoke a lost session until etcd acknowledges it or has ended it by itself. Until
	 * then its places keep others out.
	 */
	private void revoke(Unrevoked lost) {
		tryToRevoke(lost);
		this.clock.schedule(REVOKE_AGAIN, () -> {
			if (this.unrevoked.contains(lost)) {
				revoke(lost);
			}
		});
	}

	private void tryToRevoke(Unrevoked lost) {
		if (lost.until() - this.clock.nanoTime() <= 0) {
			this.unrevoked.remove(lost);
			return;
		}
		revoke(lost.session()).whenComplete((done, fault) -> {
			if (fault == null || EtcdFaults.isLeaseGone(EtcdFaults.causeOf(fault))) {
				this.unrevoked.remove(lost);
			}
		});
	}

	private CompletableFuture<?> revoke(Session session) {
		CompletableFuture<?> revoked = this.requests.revoke(session.leaseId());
		revoked.whenComplete((done, fault) -> {
			if (fault != null && !EtcdFaults.isLeaseGone(EtcdFaults.causeOf(fault))) {
				logger.debug("The session {} could not be revoked", Long.toHexString(session.leaseId()), fault);
			}
		});
		return revoked;
	}

	/**
	 * Return a stage that is completed when nothing speaks against relying on the
	 * session: at once, but where this machine stood still since its last sign of life.
	 */
	CompletionStage<?> trusted() {
		Heartbeat heartbeat;
		synchronized (this) {
			heartbeat = this.current;
		}
		return (heartbeat != null && heartbeat.session().isSuspect())
				? this.requests.call(this.requests.defaultEnd(), heartbeat::beat)
				: CompletableFuture.completedStage(null);
	}

	/**
	 * Return the session that is open, if one is.
	 */
	synchronized @Nullable Session current() {
		return (this.current != null && this.current.session().isOpen()) ? this.current.session() : null;
	}

	/**
	 * End the session, and all that belongs to it.
	 */
	void stop(Duration timeout) {
		Heartbeat ended;
		synchronized (this) {
			this.stopped = true;
			this.unrevoked.clear();
			ended = this.current;
			this.current = null;
		}
		if (ended != null) {
			ended.end();
			ended.session().lose();
			try {
				revoke(ended.session()).get(timeout.toMillis(), TimeUnit.MILLISECONDS);
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
			catch (Exception ex) {
				logger.debug("The session in etcd was not ended in time; it runs out by itself", ex);
			}
		}
	}

	/**
	 * A session that is lost here and may live on in etcd.
	 *
	 * @param session the session
	 * @param until when etcd has ended it by itself at the latest
	 */
	private record Unrevoked(Session session, long until) {
	}

}
