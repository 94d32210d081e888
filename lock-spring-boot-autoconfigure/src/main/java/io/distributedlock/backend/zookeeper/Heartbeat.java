package io.distributedlock.backend.zookeeper;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.data.Stat;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.OwnerId;

/**
 * Proves that a session lives: each sixth of the session time-out it writes an ephemeral
 * node of its own.
 */
final class Heartbeat {

	private static final Logger logger = LoggerFactory.getLogger(Heartbeat.class);

	private static final int BEATS_PER_TIMEOUT = 6;

	private final Session session;

	private final LockPaths paths;

	private final LockClock clock;

	private final byte[] data;

	private final String path;

	private final String closedPath;

	private final CompletableFuture<Void> begun = new CompletableFuture<>();

	private volatile boolean closed;

	// When the latest beat was answered, and what the leader's clock was then.
	private volatile StoreTime storeTime;

	Heartbeat(Session session, LockPaths paths, String instanceId, LockClock clock) {
		this.session = session;
		this.paths = paths;
		this.clock = clock;
		this.data = instanceId.getBytes(StandardCharsets.UTF_8);
		// Several clients of one JVM may share the session of its application.
		this.path = paths.sessions() + "/" + HeartbeatNode.name(session.id(), OwnerId.random().value().substring(0, 8),
				Duration.ofNanos(session.timeout()));
		this.closedPath = paths.sessions() + "/" + SessionListing.closedName(session.id());
		this.storeTime = new StoreTime(clock.wallMillis(), clock.nanoTime());
	}

	void start() {
		// Of an earlier client of this session.
		this.session.requests().delete(this.closedPath);
		create(false).whenComplete((stat, fault) -> {
			if (fault != null && Faults.isRefusal(fault)) {
				this.begun.completeExceptionally(Faults.cause(fault));
			}
			else {
				this.begun.complete(null);
			}
		});
		scheduleNext();
	}

	/**
	 * Return what completes when the first write was answered: exceptionally where the
	 * server refuses this client's writes.
	 */
	CompletableFuture<Void> begun() {
		return this.begun;
	}

	private void scheduleNext() {
		this.clock.schedule(Duration.ofNanos(this.session.timeout() / BEATS_PER_TIMEOUT), () -> {
			if (!this.session.isEnded() && !this.closed) {
				beat();
				scheduleNext();
			}
		});
	}

	/**
	 * Write now.
	 * @return completed when the write was acknowledged
	 */
	CompletableFuture<?> beat() {
		Session.Proof sent = this.session.sending();
		return this.session.requests().setData(this.path, this.data).handle((stat, fault) -> {
			if (fault == null) {
				acknowledged(sent, stat, stat.getMtime());
				return CompletableFuture.completedFuture(stat);
			}
			return Faults.isNoNode(fault) ? create(false) : failed(fault);
		}).thenCompose((next) -> next);
	}

	private CompletableFuture<Stat> create(boolean withRoot) {
		Requests requests = this.session.requests();
		if (withRoot) {
			this.paths.rootAndAbove().forEach((above) -> requests.create(above, CreateMode.PERSISTENT));
		}
		requests.create(this.paths.sessions(), CreateMode.CONTAINER);
		Session.Proof sent = this.session.sending();
		return requests.create(this.path, this.data, CreateMode.EPHEMERAL).handle((created, fault) -> {
			if (fault == null) {
				acknowledged(sent, created.stat(), created.stat().getMtime());
				return CompletableFuture.completedFuture(created.stat());
			}
			if (Faults.isNodeExists(fault)) {
				// An earlier one has arrived; the next beat writes it.
				return requests.exists(this.path);
			}
			return (Faults.isNoNode(fault) && !withRoot) ? create(true) : failed(fault);
		}).thenCompose((next) -> next);
	}

	private CompletableFuture<Stat> failed(Throwable fault) {
		if (Faults.isSessionEnd(fault)) {
			this.session.end();
		}
		else {
			logger.debug("No heartbeat of {}", this.session, Faults.cause(fault));
		}
		return CompletableFuture.failedFuture(Faults.cause(fault));
	}

	private void acknowledged(Session.Proof sent, Stat stat, long millis) {
		if (stat.getEphemeralOwner() == this.session.id()) {
			this.session.acknowledged(sent);
			this.storeTime = new StoreTime(millis, this.clock.nanoTime());
		}
	}

	/**
	 * Return the leader's clock, as the latest beat showed it.
	 */
	long storeMillis() {
		StoreTime latest = this.storeTime;
		return latest.millis + Duration.ofNanos(this.clock.nanoTime() - latest.seenAt).toMillis();
	}

	/**
	 * Return the name of the node.
	 */
	String name() {
		return this.path.substring(this.path.lastIndexOf('/') + 1);
	}

	/**
	 * Replace the node by one that says that this client has ended all leases of its
	 * session, so that clients that find the session gone need not wait. The session of
	 * an application may have other clients, for which this can't be said.
	 */
	CompletableFuture<String> close() {
		this.closed = true;
		return this.session.requests()
			.getChildren(this.paths.sessions())
			.thenCompose((names) -> (SessionListing.of(names).heartbeatsOf(this.session.id()).size() > 1)
					? this.session.requests().delete(this.path) : closeSession());
	}

	/**
	 * Do so for all clients of the session, which is about to be closed.
	 */
	CompletableFuture<String> closeSession() {
		return this.session.requests().exchange(this.path, this.closedPath);
	}

	private record StoreTime(long millis, long seenAt) {
	}

}
