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
 * Keeps locks as nodes of ZooKeeper, by the client that a {@link CuratorFramework} has.
 * <p>
 * A client queues for a lock by an ephemeral node, and has the lock when it is the first;
 * an acquisition takes one round trip, a release another. JVMs are served in the order in
 * which they came. The fencing token is the transaction that made the node, which grows
 * over all keys for as long as the ensemble keeps its data.
 * <p>
 * Leases live as long as the session of their JVM. They are valid until half the session
 * time-out after the latest write was sent that the ensemble has acknowledged: so a JVM
 * that is cut off, or whose server is, knows that its leases are over before the ensemble
 * gives them away. The ttl bounds a lease for its holder only; the ensemble does not know
 * it, and waits for the end of the session where a holder crashes.
 *
 * @since 0.1.0
 */
public final class ZooKeeperLockBackend implements LockBackend {

	/**
	 * The name of this backend.
	 */
	public static final String NAME = "zookeeper";

	static final BackendTraits TRAITS = new BackendTraits(LeaseKind.PER_SESSION, true, false, false, true,
			Duration.ofMillis(100), null, 100);

	private final Supplier<CuratorFramework> curator;

	private final ZooKeeperLockSettings settings;

	private final LockClock clock;

	// The one that was used last, for its address.
	private volatile @Nullable CuratorFramework connected;

	/**
	 * Create a backend.
	 * @param curator gives the Curator to use, started, each time when this backend
	 * connects; it is never closed here
	 * @param settings how it keeps its locks
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
