package io.distributedlock.backend.zookeeper;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

import org.apache.curator.framework.CuratorFramework;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.distributedlock.backend.StoreOperation;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.LockClock.Timeout;
import io.distributedlock.spi.LossListener;
import io.distributedlock.spi.OwnerId;

/**
 * What there is between a start and a stop of the backend.
 */
final class Operation implements StoreOperation {

	private static final Logger logger = LoggerFactory.getLogger(Operation.class);

	private static final Duration SWEEP_INTERVAL = Duration.ofMinutes(1);

	private static final int SWEEPS_PER_TIDYING = 60;

	private final ZooKeeperLockSettings settings;

	private final LockClock clock;

	private final LockPaths paths;

	private final Sessions sessions;

	private final Calls calls;

	private final Removals removals;

	private final KnownContainers containers;

	private final Leftovers leftovers;

	private final HeartbeatWatches heartbeatWatches;

	private final Doubts doubts = new Doubts(this);

	private final StrayPlaces strays = new StrayPlaces(this);

	// The attempts that are under way, and how many of each owner id.
	private final Map<OwnerId, Integer> attempts = new ConcurrentHashMap<>();

	private final Set<ZooKeeperContender> line = ConcurrentHashMap.newKeySet();

	private final Releases releases = new Releases(this);

	private final Renewals renewals = new Renewals(this);

	private final Inspection inspection = new Inspection(this);

	private final Janitor janitor = new Janitor(this);

	// Only touched by sweeps, which run one at a time on the clock's thread.
	private int sweeps;

	private volatile @Nullable Timeout nextSweep;

	private volatile boolean stopped;

	Operation(CuratorFramework curator, ZooKeeperLockSettings settings, LockClock clock, LossListener losses) {
		this.settings = settings;
		this.clock = clock;
		this.paths = new LockPaths(settings.root(), settings.keyPrefix());
		this.sessions = new Sessions(curator, settings, this.paths, clock, losses, this::findUnused);
		this.calls = new Calls(this.sessions, clock);
		this.removals = new Removals(this.calls);
		this.containers = new KnownContainers(clock);
		this.leftovers = new Leftovers(clock);
		this.heartbeatWatches = new HeartbeatWatches(this.paths, clock, this::isWaitedFor);
	}

	void start() {
		this.sessions.start();
		scheduleSweep();
	}

	private void scheduleSweep() {
		this.nextSweep = this.clock.schedule(SWEEP_INTERVAL, () -> {
			if (!this.stopped) {
				sweep();
				if (++this.sweeps % SWEEPS_PER_TIDYING == 0) {
					tidy();
				}
				scheduleSweep();
			}
		});
	}

	void sweep() {
		Session session = this.sessions.current();
		if (session != null) {
			this.leftovers.sweep(session);
			this.heartbeatWatches.sweep();
			findUnused(session);
		}
	}

	/**
	 * Remove the places of a session that no attempt, lease or waiter uses. Done at each
	 * reconnect too, since then answers may have been lost.
	 */
	private CompletableFuture<Void> findUnused(Session session) {
		return CompletableFuture.allOf(this.doubts.settle(session), this.strays.remove(session));
	}

	/**
	 * Look at all keys for what is left of clients that have crashed.
	 * @return completed when that is done
	 */
	CompletableFuture<Void> tidy() {
		Session session = this.sessions.current();
		return (session != null) ? this.janitor.run(session) : CompletableFuture.completedFuture(null);
	}

	/**
	 * Return whether the heartbeat of a session is the first one in a listing.
	 */
	boolean isFirst(Session session, List<String> heartbeats) {
		Heartbeat own = this.sessions.heartbeat(session);
		return own != null && Janitor.isFirst(own.name(), heartbeats);
	}

	/**
	 * Return whether a node is, or may become, the place of a lease or of a waiter.
	 */
	boolean isUsed(Session session, LineNode node) {
		// In the order in which a place passes from one to the next.
		if (isUnderWay(node.ownerId()) || isInLine(node)) {
			return true;
		}
		Place held = session.held(node.ownerId());
		return held != null && held.name().equals(node.name());
	}

	private boolean isInLine(LineNode node) {
		return this.line.stream()
			.map(ZooKeeperContender::place)
			.anyMatch((place) -> place != null && place.name().equals(node.name()));
	}

	/**
	 * Return whether an attempt is under way, so that it still may use what it made.
	 */
	boolean isUnderWay(OwnerId ownerId) {
		return this.attempts.containsKey(ownerId);
	}

	void begin(OwnerId ownerId) {
		this.attempts.merge(ownerId, 1, Integer::sum);
	}

	void over(OwnerId ownerId) {
		this.attempts.computeIfPresent(ownerId, (id, count) -> (count > 1) ? count - 1 : null);
		this.doubts.check(ownerId);
	}

	private boolean isWaitedFor(long session) {
		return this.line.stream().anyMatch((contender) -> contender.predecessors().isWaitingFor(session));
	}

	/**
	 * Return the time at which the leases of a session that is gone end at the latest.
	 * @param timeout its time-out; where it is not known, all clients are taken to be
	 * configured alike
	 */
	long endOfLeases(Session own, long gone, @Nullable Duration timeout) {
		return this.heartbeatWatches.endOfLeases(gone, (timeout != null) ? timeout : Duration.ofNanos(own.timeout()));
	}

	/**
	 * Return how many places a session has, as far as this client knows.
	 */
	int places(Session session) {
		return session.leases() + this.line.size() + this.attempts.size();
	}

	boolean isHeartbeatOf(Session session, String name) {
		Heartbeat own = this.sessions.heartbeat(session);
		return own != null && own.name().equals(name);
	}

	/**
	 * Give up everything, and wait for the answers a while: the session may live on,
	 * where it is the application's.
	 */
	void stop(Duration timeout) {
		this.stopped = true;
		Timeout sweep = this.nextSweep;
		if (sweep != null) {
			sweep.cancel();
		}
		Session session = this.sessions.stop();
		if (session == null) {
			return;
		}
		if (session.isConnected()) {
			CompletableFuture<?> gone = CompletableFuture.allOf(giveUp(session));
			this.calls.bound(gone, timeout);
			try {
				gone.join();
			}
			catch (RuntimeException ex) {
				logger.debug("Not everything of {} is removed yet", session, ex);
			}
		}
		session.close();
	}

	private CompletableFuture<?>[] giveUp(Session session) {
		CompletableFuture<?> gone = CompletableFuture.completedFuture(true);
		for (ZooKeeperContender contender : this.line) {
			gone = CompletableFuture.allOf(gone, contender.giveUp());
		}
		List<Place> held = new ArrayList<>();
		session.held().forEach(held::add);
		// Before the heartbeat says that there are none.
		session.endLeases();
		for (Place place : held) {
			gone = CompletableFuture.allOf(gone, this.removals.remove(place));
		}
		gone = CompletableFuture.allOf(gone, this.doubts.settle(session));
		Heartbeat heartbeat = this.sessions.heartbeat(session);
		return (heartbeat != null) ? new CompletableFuture<?>[] { gone, heartbeat.close() }
				: new CompletableFuture<?>[] { gone };
	}

	/**
	 * Return the place of a lease that the latest session holds.
	 */
	@Nullable Place held(OwnerId ownerId) {
		Session latest = this.sessions.latest();
		return (latest != null) ? latest.held(ownerId) : null;
	}

	/**
	 * Let a session prove that it lives.
	 */
	CompletableFuture<?> beat(Session session) {
		Heartbeat heartbeat = this.sessions.heartbeat(session);
		return (heartbeat != null) ? heartbeat.beat() : CompletableFuture.failedFuture(Faults.sessionEnd());
	}

	/**
	 * Return what completes when a session has made its first write, exceptionally where
	 * it may not.
	 */
	CompletableFuture<Void> begun(Session session) {
		Heartbeat heartbeat = this.sessions.heartbeat(session);
		return (heartbeat != null) ? heartbeat.begun() : CompletableFuture.failedFuture(Faults.sessionEnd());
	}

	/**
	 * Return the leader's clock, as far as a session knows it.
	 */
	long storeMillis(Session session) {
		Heartbeat heartbeat = this.sessions.heartbeat(session);
		return (heartbeat != null) ? heartbeat.storeMillis() : this.clock.wallMillis();
	}

	void inLine(ZooKeeperContender contender) {
		this.line.add(contender);
	}

	void outOfLine(ZooKeeperContender contender) {
		this.line.remove(contender);
	}

	ZooKeeperLockSettings settings() {
		return this.settings;
	}

	LockClock clock() {
		return this.clock;
	}

	LockPaths paths() {
		return this.paths;
	}

	Sessions sessions() {
		return this.sessions;
	}

	Calls calls() {
		return this.calls;
	}

	Removals removals() {
		return this.removals;
	}

	KnownContainers containers() {
		return this.containers;
	}

	Leftovers leftovers() {
		return this.leftovers;
	}

	Doubts doubts() {
		return this.doubts;
	}

	String connectString() {
		return this.sessions.connectString();
	}

	HeartbeatWatches heartbeatWatches() {
		return this.heartbeatWatches;
	}

	Cooldowns cooldowns() {
		return new Cooldowns(this.clock);
	}

	Ticks ticks() {
		return new Ticks(this.leftovers, this.settings.tickRetention());
	}

	@Override
	public Releases releases() {
		return this.releases;
	}

	@Override
	public Renewals renewals() {
		return this.renewals;
	}

	@Override
	public Inspection inspection() {
		return this.inspection;
	}

}
