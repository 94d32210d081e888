package io.distributedlock.backend.zookeeper;

import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.CuratorEvent;
import org.apache.curator.framework.api.CuratorEventType;
import org.apache.curator.framework.api.CuratorListener;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.curator.framework.state.ConnectionStateListener;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooKeeper;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.OwnerId;

/**
 * Follows the sessions of a {@link CuratorFramework}, which replaces its client when a
 * session has expired. Of Curator only this client and the events of its connection are
 * used.
 */
final class ZooKeeperSessions implements CuratorListener, ConnectionStateListener {

	private static final Logger logger = LoggerFactory.getLogger(ZooKeeperSessions.class);

	private static final int LEAST_TIMEOUT_MILLIS = 8_000;

	private final CuratorFramework curator;

	private final Function<ZooKeeper, ZooKeeperSession> opener;

	private final Consumer<ZooKeeperSession> reconnected;

	// Callers that wait for a connection.
	private final Set<CompletableFuture<ZooKeeperSession>> waiting = ConcurrentHashMap.newKeySet();

	// Replaced under the monitor.
	private volatile @Nullable ZooKeeperSession latest;

	private volatile boolean stopped;

	/**
	 * Create the sessions of a client.
	 * @param opener creates the session of a client that is connected
	 * @param reconnected called when a session has a new connection
	 */
	ZooKeeperSessions(CuratorFramework curator, Function<ZooKeeper, ZooKeeperSession> opener,
			Consumer<ZooKeeperSession> reconnected) {
		this.curator = curator;
		this.opener = opener;
		this.reconnected = reconnected;
	}

	void start() {
		this.curator.getCuratorListenable().addListener(this);
		this.curator.getConnectionStateListenable().addListener(this);
		onConnected();
	}

	/**
	 * Return the session, if its client is connected as far as it knows.
	 */
	@Nullable ZooKeeperSession current() {
		ZooKeeperSession known = this.latest;
		if (known != null && known.isConnected()) {
			return known;
		}
		ZooKeeper handle = this.stopped ? null : handle();
		return (handle != null && handle.getState().isConnected() && handle.getSessionId() != 0) ? open(handle) : null;
	}

	/**
	 * Return the session that was used last, connected or not.
	 */
	@Nullable ZooKeeperSession latest() {
		return this.latest;
	}

	/**
	 * Return the node with which the latest session holds a lease.
	 */
	@Nullable OwnQueueNode findHeld(LeaseGrant grant) {
		OwnQueueNode node = findHeld(PlaceIds.of(grant.target(), grant.ownerId()));
		return (node != null && node.firstToken() == grant.token().first()) ? node : null;
	}

	/**
	 * Return the node with which the latest session holds a lock.
	 * @param id its id
	 */
	@Nullable OwnQueueNode findHeld(OwnerId id) {
		ZooKeeperSession known = this.latest;
		return (known != null) ? known.entries().findHeld(id) : null;
	}

	/**
	 * Return the session as soon as its client is connected.
	 * @param until completed when the caller no longer waits for it
	 */
	CompletableFuture<ZooKeeperSession> connected(CompletableFuture<?> until) {
		ZooKeeperSession now = current();
		if (now != null) {
			return CompletableFuture.completedFuture(now);
		}
		CompletableFuture<ZooKeeperSession> connected = new CompletableFuture<>();
		this.waiting.add(connected);
		until.whenComplete((value, failure) -> this.waiting.remove(connected));
		// It may have been connected before this one was added.
		onConnected();
		return connected;
	}

	String connectString() {
		return this.curator.getZookeeperClient().getCurrentConnectionString();
	}

	private @Nullable ZooKeeper handle() {
		try {
			return this.curator.getZookeeperClient().getZooKeeper();
		}
		catch (Exception ex) {
			// Not started yet, closed, or without a connection for so long that it starts
			// over.
			logger.debug("Curator has no client now", ex);
			return null;
		}
	}

	private @Nullable ZooKeeperSession open(ZooKeeper handle) {
		ZooKeeperSession before;
		ZooKeeperSession opened;
		synchronized (this) {
			before = this.latest;
			if (this.stopped) {
				return null;
			}
			if (before != null && before.isOf(handle)) {
				return before.isEnded() ? null : before;
			}
			opened = this.opener.apply(handle);
			this.latest = opened;
		}
		if (before != null) {
			before.end();
		}
		if (handle.getSessionTimeout() < LEAST_TIMEOUT_MILLIS) {
			logger.warn("The session timeout of ZooKeeper is {} ms (lock.zookeeper.session-timeout, or what the server"
					+ " allows). Below {} ms a short pause of this process or a change of the leader loses all leases",
					handle.getSessionTimeout(), LEAST_TIMEOUT_MILLIS);
		}
		logger.debug("Began {} of {} ms", opened, handle.getSessionTimeout());
		opened.heartbeat().start();
		return opened;
	}

	@Override
	public void eventReceived(CuratorFramework client, CuratorEvent event) {
		if (event.getType() == CuratorEventType.CLOSING) {
			ZooKeeperSession known = this.latest;
			if (known != null) {
				// Before the session is closed and its locks pass to other clients.
				known.end();
				known.heartbeat().closeSession();
			}
			return;
		}
		WatchedEvent watched = event.getWatchedEvent();
		if (event.getType() != CuratorEventType.WATCHED || watched == null || watched.getType() != EventType.None) {
			return;
		}
		if (watched.getState() == KeeperState.SyncConnected) {
			onReconnected();
			onConnected();
		}
		else if (watched.getState() == KeeperState.Expired) {
			endUnless(ZooKeeperSession::isAlive);
		}
	}

	@Override
	public void stateChanged(CuratorFramework client, ConnectionState state) {
		if (state == ConnectionState.LOST) {
			// This event comes late, so there may be a connection again.
			endUnless(ZooKeeperSession::isConnected);
		}
		else if (state.isConnected()) {
			onConnected();
		}
	}

	private void onReconnected() {
		ZooKeeperSession known = this.latest;
		if (known != null && known.isConnected()) {
			known.requests().watchdog().connected();
			known.heartbeat().beat();
			this.reconnected.accept(known);
		}
	}

	private void onConnected() {
		if (this.waiting.isEmpty() && this.latest != null) {
			return;
		}
		ZooKeeperSession session = current();
		if (session == null) {
			return;
		}
		// Each is completed once, even if another thread does the same now.
		this.waiting.forEach((connected) -> connected.complete(session));
		this.waiting.removeIf(CompletableFuture::isDone);
	}

	private void endUnless(Predicate<ZooKeeperSession> excepted) {
		ZooKeeperSession known = this.latest;
		if (known != null && !excepted.test(known)) {
			known.end();
		}
	}

	/**
	 * Stop following the sessions.
	 * @return the session that was in use
	 */
	@Nullable ZooKeeperSession stop() {
		this.curator.getCuratorListenable().removeListener(this);
		this.curator.getConnectionStateListenable().removeListener(this);
		synchronized (this) {
			this.stopped = true;
			return this.latest;
		}
	}

}
