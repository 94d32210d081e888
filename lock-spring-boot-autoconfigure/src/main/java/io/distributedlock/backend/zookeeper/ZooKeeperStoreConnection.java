package io.distributedlock.backend.zookeeper;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.apache.curator.framework.CuratorFramework;
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
import io.distributedlock.spi.OwnerId;
import io.distributedlock.spi.Renewal;
import io.distributedlock.spi.RenewalOutcome;
import io.distributedlock.spi.SessionStatus;
import io.distributedlock.spi.SeveralKeys;

/**
 * Connects the locks of this JVM to ZooKeeper, from the start of the engine to its stop.
 */
final class ZooKeeperStoreConnection implements BackendConnection {

	private static final Logger logger = LoggerFactory.getLogger(ZooKeeperStoreConnection.class);

	private static final Duration SWEEP_INTERVAL = Duration.ofMinutes(1);

	private static final int SWEEPS_PER_TIDYING = 60;

	private final LockClock clock;

	private final LockPaths paths;

	private final ZooKeeperSessions sessions;

	private final RepeatedRequests requests;

	private final UnconfirmedCreates creates;

	private final StrayNodes strays;

	private final ExpiringNodes expiring;

	private final HeartbeatWatches heartbeatWatches;

	private final ZooKeeperLockQueue queue;

	private final ZooKeeperReleases releases;

	private final ZooKeeperRenewals renewals;

	private final ZooKeeperInspection inspection;

	private final ForcedReleases forcedReleases;

	private final ExpiredNodeJanitor janitor;

	private volatile boolean closed;

	ZooKeeperStoreConnection(CuratorFramework curator, ZooKeeperLockSettings settings, LockClock clock,
			BackendListener listener) {
		this.clock = clock;
		this.paths = new LockPaths(settings.root(), new KeyPrefix(settings.keyPrefix()));
		this.sessions = new ZooKeeperSessions(curator,
				(handle) -> new ZooKeeperSession(handle, settings, this.paths, clock, listener), this::reconnected);
		this.requests = new RepeatedRequests(this.sessions, clock, settings.callTimeout());
		this.creates = new UnconfirmedCreates(settings.root());
		this.strays = new StrayNodes(this.paths, this.sessions, this.creates, clock);
		this.expiring = new ExpiringNodes(clock);
		this.heartbeatWatches = new HeartbeatWatches(this.paths, clock, this::isWaitedFor);
		this.queue = new ZooKeeperLockQueue(this.paths,
				new EnqueueOperation.Support(this.sessions, new LockContainers(this.paths, clock), this.creates,
						settings.instanceId(), clock),
				this.requests, new TickNodes(this.expiring, settings.tickRetention()), this.heartbeatWatches);
		this.releases = new ZooKeeperReleases(this.sessions, this.requests, this.creates, this.expiring, this.paths);
		this.renewals = new ZooKeeperRenewals(this.sessions, this.requests, listener, clock);
		LockHolders holders = new LockHolders(this.paths);
		this.inspection = new ZooKeeperInspection(this.paths, holders, this.requests);
		this.forcedReleases = new ForcedReleases(holders, this.requests, this.expiring);
		this.janitor = new ExpiredNodeJanitor(this.paths, settings.tickRetention());
	}

	ZooKeeperStoreConnection open() {
		this.sessions.start();
		this.strays.begin();
		scheduleSweep(1);
		return this;
	}

	private void scheduleSweep(int number) {
		this.clock.schedule(SWEEP_INTERVAL, () -> {
			if (!this.closed) {
				sweep();
				if (number % SWEEPS_PER_TIDYING == 0) {
					tidy();
				}
				scheduleSweep(number + 1);
			}
		});
	}

	void sweep() {
		ZooKeeperSession session = this.sessions.current();
		if (session != null) {
			this.expiring.sweep(session);
			this.heartbeatWatches.sweep();
		}
	}

	private void reconnected(ZooKeeperSession session) {
		// Answers may have been lost.
		this.strays.sweep(session);
	}

	StrayNodes strays() {
		return this.strays;
	}

	/**
	 * Check all keys for expired nodes of clients that have crashed.
	 * @return completed when that is done
	 */
	CompletableFuture<Void> tidy() {
		ZooKeeperSession session = this.sessions.current();
		return (session != null) ? this.janitor.run(session) : CompletableFuture.completedFuture(null);
	}

	private boolean isWaitedFor(long other) {
		ZooKeeperSession session = this.sessions.latest();
		return session != null && session.entries().waiting().stream().anyMatch((node) -> node.isBehind(other));
	}

	@Override
	public BackendTraits traits() {
		return ZooKeeperLockBackend.TRAITS;
	}

	@Override
	public SeveralKeys severalKeys(LockTarget target) {
		return SeveralKeys.IN_LINE;
	}

	@Override
	public Contender contend(LockTarget target, Runnable wakeUp) {
		return new ZooKeeperContender(target, wakeUp, this.queue);
	}

	/**
	 * The busy attempt has set a watch, which only needs the permission to read the node
	 * that it watches.
	 */
	@Override
	public CompletionStage<Boolean> wakesContenders(LockTarget target) {
		return CompletableFuture.completedFuture(true);
	}

	@Override
	public CompletionStage<List<RenewalOutcome>> renew(List<Renewal> renewals) {
		return this.renewals.renew(renewals);
	}

	@Override
	public CompletionStage<Boolean> release(LeaseGrant grant, Duration cooldown) {
		return this.releases.release(grant, cooldown);
	}

	@Override
	public CompletionStage<Void> abandon(List<Orphan> orphans) {
		return this.releases.abandon(orphans);
	}

	@Override
	public CompletionStage<Optional<LockInfo>> find(String key) {
		return this.inspection.find(key);
	}

	@Override
	public CompletionStage<LockPage> list(@Nullable String next, int limit) {
		return this.inspection.list(next, limit);
	}

	@Override
	public @Nullable SessionStatus session() {
		ZooKeeperSession session = this.sessions.latest();
		return (session != null)
				? new SessionStatus("0x" + Long.toHexString(session.id()), session.entries().validFor()) : null;
	}

	@Override
	public CompletionStage<Boolean> forceRelease(String key, Duration cooldown) {
		return this.forcedReleases.release(key, cooldown);
	}

	/**
	 * Give up everything, and wait for the answers for up to one call timeout. The
	 * session may live on if it belongs to the application.
	 */
	@Override
	public void close() {
		this.closed = true;
		this.strays.end();
		ZooKeeperSession session = this.sessions.stop();
		if (session == null) {
			return;
		}
		if (session.isConnected()) {
			try {
				this.requests.bounded(giveUp(session)).join();
			}
			catch (RuntimeException ex) {
				logger.debug("Not everything of {} is removed yet", session, ex);
			}
		}
		session.entries().endLeases();
		session.end();
	}

	private CompletableFuture<Void> giveUp(ZooKeeperSession session) {
		List<CompletableFuture<?>> gone = new ArrayList<>();
		for (OwnQueueNode waits : session.entries().waiting()) {
			session.entries().leave(waits);
			gone.add(this.requests.withdraw(waits));
		}
		List<OwnQueueNode> held = session.entries().held();
		// Before the node that replaces the heartbeat shows that there are none.
		session.entries().endLeases();
		held.forEach((node) -> gone.add(this.requests.delete(node)));
		gone.add(this.creates.settle(session));
		gone.add(session.heartbeat().close());
		return CompletableFuture.allOf(gone.toArray(CompletableFuture[]::new));
	}

	/**
	 * Act as if the answer to the creation of a node for a key was lost. For tests.
	 */
	void assumeUnanswered(String key, OwnerId ownerId) {
		ZooKeeperSession session = this.sessions.latest();
		if (session != null) {
			this.creates.add(session, List.of(this.paths.lock(key)), ownerId);
		}
	}

}
