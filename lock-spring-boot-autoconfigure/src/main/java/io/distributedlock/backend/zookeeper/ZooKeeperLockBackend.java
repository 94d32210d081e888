package io.distributedlock.backend.zookeeper;

import java.time.Duration;
import java.util.function.Supplier;

import org.apache.curator.framework.CuratorFramework;
import org.jspecify.annotations.Nullable;

import io.distributedlock.spi.BackendConnection;
import io.distributedlock.spi.BackendListener;
import io.distributedlock.spi.BackendTraits;
import io.distributedlock.spi.BackendTraits.LeaseKind;
import io.distributedlock.spi.LockBackend;
import io.distributedlock.spi.LockClock;

/**
 * Keeps locks as nodes of ZooKeeper, using the client of a {@link CuratorFramework}.
 * <p>
 * A client queues for a lock with an ephemeral node, and has the lock when its node is
 * the first. Nodes of one group have it together. An acquisition takes one round trip, a
 * release another. JVMs are served in the order in which they entered the queue. The
 * fencing token comes from the transaction that created the node. It grows over all keys
 * for as long as the ensemble keeps its data.
 * <p>
 * Leases live as long as the session of their JVM. They are valid until half the session
 * timeout after the latest acknowledged heartbeat was sent. So a JVM that is cut off, or
 * whose server is cut off, knows that its leases are over before the ensemble gives the
 * locks to other clients. The TTL bounds a lease for its holder only. The ensemble does
 * not know it: if a holder crashes, the lock is free when its session ends.
 *
 * @since 0.1.0
 */
public final class ZooKeeperLockBackend implements LockBackend {

	/**
	 * The name of this backend.
	 */
	public static final String NAME = "zookeeper";

	static final BackendTraits TRAITS = new BackendTraits(LeaseKind.PER_SESSION, true, true, Integer.MAX_VALUE, true,
			Duration.ofMillis(100), null, 100);

	private final Supplier<CuratorFramework> curator;

	private final ZooKeeperLockSettings settings;

	private final LockClock clock;

	// The one that was used last; supplies the address.
	private volatile @Nullable CuratorFramework connected;

	/**
	 * Create a backend.
	 * @param curator supplies the started Curator each time this backend connects; it is
	 * never closed here
	 * @param settings the settings
	 * @param clock the clock of this JVM
	 */
	public ZooKeeperLockBackend(Supplier<CuratorFramework> curator, ZooKeeperLockSettings settings, LockClock clock) {
		this.curator = curator;
		this.settings = settings;
		this.clock = clock;
	}

	@Override
	public String name() {
		return NAME;
	}

	@Override
	public @Nullable String address() {
		CuratorFramework latest = this.connected;
		return (latest != null) ? latest.getZookeeperClient().getCurrentConnectionString() : null;
	}

	@Override
	public BackendTraits traits() {
		return TRAITS;
	}

	@Override
	public BackendConnection connect(BackendListener listener) {
		CuratorFramework client = this.curator.get();
		this.connected = client;
		return new ZooKeeperStoreConnection(client, this.settings, this.clock, listener).open();
	}

}
