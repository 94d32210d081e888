package io.distributedlock.backend.zookeeper;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import org.apache.curator.framework.CuratorFramework;
import org.jspecify.annotations.Nullable;

import io.distributedlock.LockUnavailableException;
import io.distributedlock.backend.OperatedBackend;
import io.distributedlock.spi.BackendListener;
import io.distributedlock.spi.BackendTraits;
import io.distributedlock.spi.BackendTraits.LeaseKind;
import io.distributedlock.spi.Contender;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.LockTarget;

/**
 * Keeps locks as nodes of ZooKeeper, by the client that a {@link CuratorFramework} has.
 * <p>
 * Who wants a lock stands in line by an ephemeral node, and has the lock when it is the
 * first; an acquisition takes one round trip, a release another. JVMs are served in the
 * order in which they came. The fencing token is the transaction that made the node,
 * which grows over all keys for as long as the ensemble keeps its data.
 * <p>
 * Leases live as long as the session of their JVM. They are valid until half the session
 * time-out after the latest write was sent that the ensemble has acknowledged: so a JVM
 * that is cut off, or whose server is, knows that its leases are over before the ensemble
 * gives them away. The ttl bounds a lease for its holder only; the ensemble does not know
 * it, and waits for the end of the session where a holder crashes.
 *
 * @since 0.1.0
 */
public final class ZooKeeperLockBackend extends OperatedBackend<ZooKeeperStoreConnection> {

	/**
	 * The name of this backend.
	 */
	public static final String NAME = "zookeeper";

	private static final BackendTraits TRAITS = new BackendTraits(LeaseKind.PER_SESSION, true, false, false, true, true,
			Duration.ofMillis(100), null, 100);

	private final Supplier<CuratorFramework> curator;

	private final ZooKeeperLockSettings settings;

	private final LockClock clock;

	/**
	 * Create a backend.
	 * @param curator gives the Curator to use, started, at each start of this backend,
	 * which never closes it
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
		ZooKeeperStoreConnection current = operationOrNull();
		return (current != null) ? current.connectString() : null;
	}

	@Override
	public BackendTraits traits() {
		return TRAITS;
	}

	@Override
	protected ZooKeeperStoreConnection open(BackendListener losses) {
		ZooKeeperStoreConnection connection = new ZooKeeperStoreConnection(this.curator.get(), this.settings,
				this.clock, losses);
		connection.open();
		return connection;
	}

	@Override
	protected void close(ZooKeeperStoreConnection operation) {
		operation.close();
	}

	@Override
	protected LockUnavailableException stopped() {
		return new LockUnavailableException("The locks in ZooKeeper were stopped");
	}

	// For this package.
	@Override
	protected ZooKeeperStoreConnection operation() {
		return super.operation();
	}

	@Override
	public Contender contend(LockTarget target, Runnable wakeUp) {
		target.requireOneExclusiveKey(name());
		return operation().contend(target, wakeUp);
	}

	/**
	 * A watch was set by the attempt that was busy, and needs no permission but to read
	 * the node that it watches.
	 */
	@Override
	public CompletionStage<Boolean> wakesContenders(LockTarget target) {
		return CompletableFuture.completedFuture(true);
	}

}
