package io.distributedlock.backend.zookeeper;

import java.time.Duration;

import org.apache.zookeeper.ZooKeeper;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.distributedlock.backend.session.ClientSession;
import io.distributedlock.spi.BackendListener;
import io.distributedlock.spi.ClockReading;
import io.distributedlock.spi.LockClock;

/**
 * One session of ZooKeeper, from its first connection until it expired, was closed, or
 * this client no longer uses it.
 * <p>
 * Its leases are valid until half the session timeout after the latest acknowledged
 * heartbeat was <em>sent</em>. After that time the session may live on. Leases that are
 * granted after a later heartbeat have a new validity.
 */
final class ZooKeeperSession {

	private static final Logger logger = LoggerFactory.getLogger(ZooKeeperSession.class);

	private final ZooKeeper handle;

	private final long id;

	private final Duration timeout;

	private final Duration leastRest;

	private final ZooKeeperRequests requests;

	private final NodeWatches watches;

	private final ClientSession<OwnQueueNode> entries;

	private final ZooKeeperHeartbeat heartbeat;

	ZooKeeperSession(ZooKeeper handle, ZooKeeperLockSettings settings, LockPaths paths, LockClock clock,
			BackendListener listener) {
		this.handle = handle;
		this.id = handle.getSessionId();
		this.timeout = Duration.ofMillis(handle.getSessionTimeout());
		this.leastRest = this.timeout.dividedBy(8);
		this.requests = new ZooKeeperRequests(handle, settings.acl(), settings.user(),
				new ConnectionWatchdog(handle, clock, settings.callTimeout()));
		this.watches = new NodeWatches(this.requests);
		this.entries = new ClientSession<>(clock, listener, () -> handle.getState().isAlive(), ClockReading.now(clock),
				Duration.ZERO);
		this.heartbeat = new ZooKeeperHeartbeat(this, paths, settings.instanceId(), clock);
	}

	boolean isOf(ZooKeeper other) {
		return this.handle == other && this.id == other.getSessionId();
	}

	/**
	 * Return whether the session is open, as far as its client knows.
	 */
	boolean isAlive() {
		return this.entries.isAlive();
	}

	/**
	 * Return whether its client is connected, as far as the client knows.
	 */
	boolean isConnected() {
		return !isEnded() && this.handle.getState().isConnected();
	}

	long id() {
		return this.id;
	}

	/**
	 * Return the session timeout that the server has agreed to.
	 */
	Duration timeout() {
		return this.timeout;
	}

	ZooKeeperRequests requests() {
		return this.requests;
	}

	/**
	 * Return the watches on nodes that this client waits for.
	 */
	NodeWatches watches() {
		return this.watches;
	}

	/**
	 * Return the nodes that this client waits or holds locks with.
	 */
	ClientSession<OwnQueueNode> entries() {
		return this.entries;
	}

	ZooKeeperHeartbeat heartbeat() {
		return this.heartbeat;
	}

	/**
	 * Return whether a lease that is granted now would be valid for a while.
	 */
	boolean isValid() {
		return this.entries.isProven() && this.entries.validFor().compareTo(this.leastRest) > 0;
	}

	/**
	 * Record that the ensemble has acknowledged a heartbeat. Only heartbeats may be
	 * recorded, because clients that wait until the leases of a session are over do not
	 * know its other writes.
	 * @param sent when the heartbeat was sent
	 */
	void acknowledged(ClockReading sent) {
		Duration validFor = this.timeout.dividedBy(2);
		if (!this.entries.acknowledged(sent, validFor)) {
			this.entries.revalidate(sent, validFor);
		}
	}

	boolean isEnded() {
		return this.entries.isEnded();
	}

	/**
	 * End the session and all its leases.
	 */
	void end() {
		int leases = this.entries.held().size();
		if (this.entries.end()) {
			logger.debug("The session {} has ended, with {} leases", Long.toHexString(this.id), leases);
		}
	}

	@Override
	public String toString() {
		return "Session[" + Long.toHexString(this.id) + "]";
	}

}
