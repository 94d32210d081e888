package io.distributedlock.backend.zookeeper;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooKeeper;
import org.jspecify.annotations.Nullable;

import io.distributedlock.contract.DecoratedBackend;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.OwnerId;

/**
 * A client as in a JVM of its own. Its Curator, its session and its route to the servers
 * are not shared, are opened by the start and closed by the stop.
 */
public final class ZooKeeperTestClient extends DecoratedBackend {

	private final Connection curator;

	private ZooKeeperTestClient(Connection curator, ZooKeeperLockBackend backend) {
		super(backend);
		this.curator = curator;
	}

	/**
	 * Create a client.
	 * @param routes supplies its route to the servers at each start
	 * @param sessionTimeout the session timeout to request
	 * @param settings the settings
	 * @param clock the clock of the client
	 * @return the client, not started
	 */
	public static ZooKeeperTestClient of(Supplier<ZooKeeperRoute> routes, Duration sessionTimeout,
			ZooKeeperLockSettings settings, LockClock clock) {
		Connection connection = new Connection(routes, sessionTimeout);
		return new ZooKeeperTestClient(connection, new ZooKeeperLockBackend(connection::open, settings, clock));
	}

	@Override
	public void close() {
		super.close();
		this.curator.close();
	}

	/**
	 * Return the route to the servers.
	 */
	public ZooKeeperRoute route() {
		return this.curator.route();
	}

	/**
	 * Return the client of ZooKeeper that is in use.
	 */
	public ZooKeeper handle() {
		try {
			return this.curator.open().getZookeeperClient().getZooKeeper();
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Let the client act as if the answer to the creation of a node for a key was lost.
	 */
	public void assumeUnanswered(String key, OwnerId ownerId) {
		store().assumeUnanswered(key, ownerId);
	}

	/**
	 * Sweep now, as is done every minute.
	 */
	public void sweep() {
		store().sweep();
		store().strays().sweep();
	}

	/**
	 * Remove expired nodes of crashed clients, as is done every hour.
	 */
	public void tidy() {
		store().tidy().join();
	}

	private ZooKeeperStoreConnection store() {
		return (ZooKeeperStoreConnection) connection();
	}

	/**
	 * End the session at the servers, as they do when it has been silent for too long.
	 * @param direct the address of the servers, without the route
	 */
	public void endSession(String direct) {
		ZooKeeper handle = handle();
		endSession(direct, handle.getSessionId(), handle.getSessionPasswd());
	}

	private static void endSession(String direct, long id, byte[] password) {
		CountDownLatch connected = new CountDownLatch(1);
		try (ZooKeeper twin = new ZooKeeper(direct, 10_000, (event) -> {
			if (event.getState() == KeeperState.SyncConnected || event.getState() == KeeperState.Expired) {
				connected.countDown();
			}
		}, id, password)) {
			if (!connected.await(30, TimeUnit.SECONDS)) {
				throw new AssertionError("No connection to " + direct);
			}
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * The Curator of a client, a new one after each close.
	 */
	private static final class Connection {

		private final Supplier<ZooKeeperRoute> routes;

		private final Duration sessionTimeout;

		// Guarded by the monitor.
		private @Nullable ZooKeeperRoute route;

		// Guarded by the monitor.
		private @Nullable CuratorFramework curator;

		Connection(Supplier<ZooKeeperRoute> routes, Duration sessionTimeout) {
			this.routes = routes;
			this.sessionTimeout = sessionTimeout;
		}

		synchronized ZooKeeperRoute route() {
			if (this.route == null) {
				this.route = this.routes.get();
			}
			return this.route;
		}

		synchronized CuratorFramework open() {
			if (this.curator == null) {
				this.curator = CuratorFrameworkFactory.builder()
					.connectString(route().connectString())
					.sessionTimeoutMs((int) this.sessionTimeout.toMillis())
					.connectionTimeoutMs(10_000)
					.zookeeperFactory(new PromptZookeeperFactory())
					.ensembleTracker(false)
					.retryPolicy(new RetryOneTime(100))
					.build();
				this.curator.start();
			}
			return this.curator;
		}

		synchronized void close() {
			if (this.curator != null) {
				this.curator.close();
				this.curator = null;
			}
			if (this.route != null) {
				this.route.close();
				this.route = null;
			}
		}

	}

}
