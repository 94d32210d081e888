package io.distributedlock.backend.etcd;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

import io.etcd.jetcd.op.Op;
import io.etcd.jetcd.options.PutOption;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.distributedlock.spi.LockClock;

/**
 * The session of this JVM: opened when it is first needed, kept alive, and replaced by
 * another after it was lost.
 */
final class Sessions {

	private static final Logger logger = LoggerFactory.getLogger(Sessions.class);

	private final EtcdLink link;

	private final Calls calls;

	private final EtcdKeys keys;

	private final EtcdLockSettings settings;

	private final LockClock clock;

	private final Places places;

	// These three are guarded by the monitor. Neither etcd nor the engine is called while
	// it is held.
	private @Nullable Heartbeat current;

	private @Nullable CompletableFuture<Session> opening;

	private boolean stopped;

	Sessions(EtcdLink link, Calls calls, EtcdKeys keys, EtcdLockSettings settings, LockClock clock, Places places) {
		this.link = link;
		this.calls = calls;
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
				return CompletableFuture.failedStage(new NotSentException("The locks in etcd were stopped", null));
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
				mine.completeExceptionally(
						new NotSentException(EtcdFaults.explain(fault).getMessage() + " (no session could be opened)",
								EtcdFaults.causeOf(fault)));
			}
			else {
				begin(session);
				mine.complete(session);
			}
		});
		return mine;
	}

	private CompletionStage<Session> create() {
		Confirmation sent = Confirmation.sentNow(this.clock, this.settings.sessionTtl());
		return this.calls.call(() -> this.link.grant(this.settings.sessionTtl().toSeconds())).thenCompose((answer) -> {
			Session session = new Session(answer.id(), sent.of(answer.ttlSeconds()), this.clock);
			Op put = Op.put(this.keys.session(answer.id()),
					new PlaceValue(1, session.ttl(), this.clock.wallMillis(), this.settings.instanceId()).toBytes(),
					PutOption.builder().withLeaseId(answer.id()).build());
			return this.calls.call(() -> this.link.commit(Transaction.of(List.of(put)))).thenApply((done) -> {
				session.opened(done.getHeader().getRevision());
				return session;
			});
		});
	}

	private void begin(Session session) {
		Heartbeat heartbeat = new Heartbeat(session, this.link, this.keys, this.clock, this::lose);
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
		revoke(session);
	}

	private CompletableFuture<?> revoke(Session session) {
		CompletableFuture<Object> revoked = this.calls
			.call(() -> this.link.revoke(session.leaseId()).thenApply((done) -> done));
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
		return (heartbeat != null && heartbeat.session().isSuspect()) ? this.calls.call(heartbeat::beat)
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

}
