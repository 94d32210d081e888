package io.distributedlock.backend.zookeeper;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;

import org.apache.curator.framework.CuratorFramework;
import org.jspecify.annotations.Nullable;

import io.distributedlock.LockInfo;
import io.distributedlock.LockMode;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.spi.BackendTraits;
import io.distributedlock.spi.BackendTraits.LeaseKind;
import io.distributedlock.spi.Contender;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LockBackend;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.LossListener;
import io.distributedlock.spi.Orphan;
import io.distributedlock.spi.Renewal;
import io.distributedlock.spi.RenewalOutcome;

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
public final class ZooKeeperLockBackend implements LockBackend {

	/**
	 * The name of this backend.
	 */
	public static final String NAME = "zookeeper";

	private static final BackendTraits TRAITS = new BackendTraits(LeaseKind.PER_SESSION, true, false, false, true, true,
			Duration.ofMillis(100), null, 100);

	private final Supplier<CuratorFramework> curator;

	private final ZooKeeperLockSettings settings;

	private final LockClock clock;

	// Set by start and stop, which the engine orders; read by everybody else.
	private volatile @Nullable Operation operation;

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
	public BackendTraits traits() {
		return TRAITS;
	}

	@Override
	public synchronized void start(LossListener losses) {
		if (this.operation == null) {
			Operation started = new Operation(this.curator.get(), this.settings, this.clock, losses);
			started.start();
			this.operation = started;
		}
	}

	@Override
	public synchronized void stop() {
		Operation current = this.operation;
		this.operation = null;
		if (current != null) {
			current.stop(this.settings.callTimeout());
		}
	}

	Operation operation() {
		Operation current = this.operation;
		if (current == null) {
			throw new LockUnavailableException("The locks in ZooKeeper were stopped");
		}
		return current;
	}

	private <T> CompletionStage<T> operating(Function<Operation, CompletionStage<T>> call) {
		try {
			return call.apply(operation());
		}
		catch (RuntimeException ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	@Override
	public Contender contend(LockTarget target, Runnable wakeUp) {
		if (target.keys().size() != 1 || target.mode() != LockMode.EXCLUSIVE) {
			throw new IllegalArgumentException(
					"ZooKeeper's locks are of one key and EXCLUSIVE, not " + target.mode() + " of " + target.keys());
		}
		return new ZooKeeperContender(target, wakeUp, this::operation);
	}

	@Override
	public CompletionStage<List<RenewalOutcome>> renew(List<Renewal> renewals) {
		return operating((current) -> current.renewals().renew(renewals));
	}

	@Override
	public CompletionStage<Boolean> release(LeaseGrant grant, Duration cooldown) {
		return operating((current) -> current.releases().release(grant, cooldown));
	}

	@Override
	public CompletionStage<Void> abandon(List<Orphan> orphans) {
		return operating((current) -> current.releases().abandon(orphans));
	}

	@Override
	public CompletionStage<Optional<LockInfo>> find(String key) {
		return operating((current) -> current.inspection().find(key));
	}

	@Override
	public CompletionStage<List<LockInfo>> list() {
		return operating((current) -> current.inspection().list());
	}

	/**
	 * Take a lock away from its holder, who learns of it with its next renewal. Does not
	 * end a cooldown.
	 */
	@Override
	public CompletionStage<Boolean> forceRelease(String key) {
		return operating((current) -> current.inspection().forceRelease(key));
	}

}
