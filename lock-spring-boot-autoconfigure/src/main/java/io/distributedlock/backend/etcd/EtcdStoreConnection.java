package io.distributedlock.backend.etcd;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.distributedlock.LockInfo;
import io.distributedlock.backend.KeyPrefix;
import io.distributedlock.spi.BackendConnection;
import io.distributedlock.spi.BackendListener;
import io.distributedlock.spi.BackendTraits;
import io.distributedlock.spi.Contender;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.LockPage;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.Orphan;
import io.distributedlock.spi.Renewal;
import io.distributedlock.spi.RenewalOutcome;
import io.distributedlock.spi.SessionStatus;
import io.distributedlock.spi.SeveralKeys;

/**
 * Connects this JVM to etcd, with its session and the parts that share it.
 */
final class EtcdStoreConnection implements BackendConnection {

	private static final Logger logger = LoggerFactory.getLogger(EtcdStoreConnection.class);

	private final EtcdLinks links;

	private final EtcdRequests requests;

	private final EtcdKeys keys;

	private final LockClock clock;

	private final Duration callTimeout;

	private final EtcdLockQueue queue;

	private final GivenUpEntries givenUp;

	private final EtcdSessions sessions;

	private final StrayKeySweep sweep;

	private final EtcdAttempt.Support attempts;

	private final EtcdReleases releases;

	private final EtcdRenewals renewals;

	private final EtcdLockInspection inspection;

	EtcdStoreConnection(EtcdLinks links, @Nullable String user, EtcdLockSettings settings, LockClock clock,
			BackendListener listener) {
		this.links = links;
		this.clock = clock;
		this.callTimeout = settings.callTimeout();
		this.requests = new EtcdRequests(links, clock, this.callTimeout, new EtcdRefusals(user, settings));
		this.keys = new EtcdKeys(settings.namespace(), new KeyPrefix(settings.keyPrefix()));
		this.queue = new EtcdLockQueue(this.requests, this.keys);
		this.givenUp = new GivenUpEntries(this.queue, clock);
		this.sessions = new EtcdSessions(this.requests, this.keys, settings, clock, listener);
		this.sweep = new StrayKeySweep(this.requests, this.queue, this.keys, this.sessions, clock);
		EtcdLockHolders holders = new EtcdLockHolders(this.requests, this.keys);
		this.attempts = new EtcdAttempt.Support(this.requests, this.queue, new EtcdQueueLooks(this.requests, this.keys),
				this.sessions, this.givenUp, new EtcdTicks(this.requests, this.keys, settings.tickRetention()), clock);
		this.releases = new EtcdReleases(this.requests, this.keys, this.queue, holders, this.sessions, this.givenUp,
				clock);
		this.renewals = new EtcdRenewals(this.requests, this.keys, this.sessions, this.givenUp, listener);
		this.inspection = new EtcdLockInspection(this.requests, this.keys, holders, clock);
		links.onRecovery(this::recovered);
		this.sweep.begin();
		// Opened now, so that the first attempt does not wait for it.
		this.sessions.open().whenComplete((session, fault) -> {
			if (fault != null) {
				logger.debug("No session could be opened in etcd yet", fault);
			}
		});
	}

	/**
	 * Repeat the clean-up that failed while etcd did not answer.
	 */
	private void recovered() {
		this.sessions.revokeLost();
		this.givenUp.deleteAll();
	}

	@Override
	public BackendTraits traits() {
		return EtcdLockBackend.TRAITS;
	}

	@Override
	public Contender contend(LockTarget target, Runnable wakeUp) {
		return new EtcdContender(target, wakeUp, this.attempts, new PredecessorWatches(
				target.keys().stream().map((key) -> new PredecessorWatch(this.requests, this.clock, wakeUp)).toList()));
	}

	@Override
	public SeveralKeys severalKeys(LockTarget target) {
		return SeveralKeys.IN_LINE;
	}

	@Override
	public CompletionStage<Boolean> wakesContenders(LockTarget target) {
		return this.requests.checkWatch(this.keys.queue(target.key()));
	}

	@Override
	public CompletionStage<List<RenewalOutcome>> renew(List<Renewal> renewed) {
		return explained(this.renewals.renew(renewed));
	}

	@Override
	public CompletionStage<Boolean> release(LeaseGrant grant, Duration cooldown) {
		return explained(this.releases.release(grant, cooldown));
	}

	@Override
	public CompletionStage<Void> abandon(List<Orphan> orphans) {
		return explained(this.releases.abandon(orphans));
	}

	@Override
	public CompletionStage<Optional<LockInfo>> find(String key) {
		return explained(this.inspection.find(key));
	}

	@Override
	public CompletionStage<LockPage> list(@Nullable String next, int limit) {
		return explained(this.inspection.list(next, limit));
	}

	@Override
	public @Nullable SessionStatus session() {
		EtcdSession session = this.sessions.current();
		return (session != null) ? new SessionStatus(Long.toHexString(session.leaseId()), session.entries().validFor())
				: null;
	}

	@Override
	public CompletionStage<Boolean> forceRelease(String key, Duration cooldown) {
		return explained(this.releases.forceRelease(key, cooldown));
	}

	private static <T> CompletionStage<T> explained(CompletionStage<T> answer) {
		return answer.exceptionallyCompose((fault) -> CompletableFuture.failedStage(EtcdFaults.explain(fault)));
	}

	/**
	 * Delete every waiting entry, so that the waiters behind it do not wait as for a
	 * vanished session. Then end the session and with it all other entries.
	 */
	@Override
	public void close() {
		this.sweep.end();
		this.givenUp.end();
		await(this.releases.leaveAll());
		await(this.sessions.stop());
		this.links.close();
	}

	private void await(CompletableFuture<?> answer) {
		try {
			answer.get(this.callTimeout.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		catch (ExecutionException | TimeoutException ex) {
			logger.debug("The session in etcd was not ended in time; it runs out by itself, with its entries", ex);
		}
	}

	EtcdSessions sessions() {
		return this.sessions;
	}

	GivenUpEntries givenUp() {
		return this.givenUp;
	}

	StrayKeySweep sweep() {
		return this.sweep;
	}

}
