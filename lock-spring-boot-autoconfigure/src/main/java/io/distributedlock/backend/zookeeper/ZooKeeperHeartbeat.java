package io.distributedlock.backend.zookeeper;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.data.Stat;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.distributedlock.backend.session.SessionHeartbeat;
import io.distributedlock.spi.ClockReading;
import io.distributedlock.spi.CompletionCauses;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.OwnerId;

/**
 * Proves that a session lives by writing an ephemeral node of its own every sixth of the
 * session timeout. Reads and pings are no proof, since a server that is cut off from its
 * leader continues to answer them after the session has ended.
 */
final class ZooKeeperHeartbeat {

	private static final Logger logger = LoggerFactory.getLogger(ZooKeeperHeartbeat.class);

	private static final int BEATS_PER_TIMEOUT = 6;

	private final ZooKeeperSession session;

	private final LockPaths paths;

	private final LockClock clock;

	private final byte[] data;

	private final String path;

	private final String closedPath;

	private final SessionHeartbeat<Stat> beats;

	private final CompletableFuture<Void> begun = new CompletableFuture<>();

	// When the latest beat was answered, and the leader's clock at that time.
	private volatile ClockReading storeTime;

	ZooKeeperHeartbeat(ZooKeeperSession session, LockPaths paths, String instanceId, LockClock clock) {
		this.session = session;
		this.paths = paths;
		this.clock = clock;
		this.data = instanceId.getBytes(StandardCharsets.UTF_8);
		// Several clients of one JVM may share the session of its application.
		this.path = paths.sessions() + "/"
				+ HeartbeatNode.name(session.id(), OwnerId.random().value().substring(0, 8), session.timeout());
		this.closedPath = paths.sessions() + "/" + SessionListing.closedName(session.id());
		this.beats = new SessionHeartbeat<>(session.entries(), clock,
				() -> session.timeout().dividedBy(BEATS_PER_TIMEOUT), this::write);
		this.storeTime = ClockReading.now(clock);
	}

	void start() {
		// An earlier client of this session may have left it.
		this.session.requests().delete(this.closedPath);
		create(false).whenComplete((stat, fault) -> {
			if (fault != null && ZooKeeperFaults.isRefusal(fault)) {
				this.begun.completeExceptionally(CompletionCauses.unwrap(fault));
			}
			else {
				this.begun.complete(null);
			}
		});
		this.beats.start();
	}

	/**
	 * Return a stage that completes when the first write was answered, exceptionally if
	 * the server refuses this client's writes.
	 */
	CompletableFuture<Void> begun() {
		return this.begun;
	}

	/**
	 * Write now.
	 * @return completed when the write was acknowledged
	 */
	CompletionStage<Stat> beat() {
		return this.beats.prove();
	}

	private CompletionStage<Stat> write() {
		ClockReading sent = ClockReading.now(this.clock);
		return this.session.requests()
			.setData(this.path, this.data)
			.thenApply((stat) -> acknowledged(sent, stat))
			.exceptionallyCompose((fault) -> ZooKeeperFaults.isNoNode(fault) ? create(false) : failed(fault));
	}

	private CompletableFuture<Stat> create(boolean withRoot) {
		ZooKeeperRequests requests = this.session.requests();
		if (withRoot) {
			this.paths.rootAndAbove().forEach((above) -> requests.create(above, CreateMode.PERSISTENT));
		}
		requests.create(this.paths.sessions(), CreateMode.CONTAINER);
		ClockReading sent = ClockReading.now(this.clock);
		return requests.create(this.path, this.data, CreateMode.EPHEMERAL)
			.thenApply((created) -> acknowledged(sent, created.stat()))
			.exceptionallyCompose((fault) -> {
				if (ZooKeeperFaults.isNodeExists(fault)) {
					// An earlier request has created it; the next beat writes it.
					return requests.exists(this.path);
				}
				return (ZooKeeperFaults.isNoNode(fault) && !withRoot) ? create(true) : failed(fault);
			});
	}

	private CompletableFuture<Stat> failed(Throwable fault) {
		if (ZooKeeperFaults.isSessionEnd(fault)) {
			this.session.end();
		}
		else {
			logger.debug("No heartbeat of {}", this.session, CompletionCauses.unwrap(fault));
		}
		return CompletableFuture.failedFuture(CompletionCauses.unwrap(fault));
	}

	private Stat acknowledged(ClockReading sent, Stat stat) {
		if (stat.getEphemeralOwner() == this.session.id()) {
			this.session.acknowledged(sent);
			this.storeTime = new ClockReading(this.clock.nanoTime(), stat.getMtime());
		}
		return stat;
	}

	/**
	 * Return the leader's clock, extrapolated from the latest beat.
	 */
	long storeMillis() {
		ClockReading latest = this.storeTime;
		return latest.wallMillis() + Duration.ofNanos(this.clock.nanoTime() - latest.nanoTime()).toMillis();
	}

	/**
	 * Return the name of the node.
	 */
	String name() {
		return this.path.substring(this.path.lastIndexOf('/') + 1);
	}

	/**
	 * Replace the node by one that shows that this client has ended all leases of its
	 * session. Clients that find the session gone then do not wait. If the session of an
	 * application has other clients, the node is only deleted, because their leases may
	 * continue.
	 */
	CompletableFuture<String> close() {
		this.beats.stop();
		return this.session.requests()
			.getChildren(this.paths.sessions())
			.thenCompose((names) -> (SessionListing.of(names).heartbeatsOf(this.session.id()).size() > 1)
					? this.session.requests().delete(this.path) : closeSession());
	}

	/**
	 * Replace the node on behalf of all clients of the session, which is about to be
	 * closed.
	 */
	CompletableFuture<String> closeSession() {
		return this.session.requests().exchange(this.path, this.closedPath);
	}

}
