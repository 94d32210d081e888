package io.distributedlock.backend.etcd;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;

import io.etcd.jetcd.Client;
import org.jspecify.annotations.Nullable;

import io.distributedlock.LockInfo;
import io.distributedlock.LockMode;
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
 * Keeps locks in etcd, where a majority of the members has to agree to each of them.
 * <p>
 * A lock is had by whoever stands first in its line; acquisition and release are one
 * transaction each, and waiters are served in the order in which they came, over all
 * JVMs. Fencing tokens come from the revisions of etcd's log and grow strictly for as
 * long as etcd keeps its data; one that is restored from a backup counts backwards.
 * <p>
 * All that a JVM has lives with its one session. While the session is kept alive no lock
 * ends at the store by itself, whatever its ttl: a ttl without renewal ends the lease on
 * this side, which then gives the lock back. When the session is not confirmed in time
 * all leases are lost at once, by this JVM's own clock and before etcd may give them to
 * others.
 *
 * @since 0.1.0
 */
public final class EtcdLockBackend implements LockBackend {

	/**
	 * The name of this backend.
	 */
	public static final String NAME = "etcd";

	private static final BackendTraits TRAITS = new BackendTraits(LeaseKind.PER_SESSION, true, false, false, true, true,
			Duration.ofMillis(100), null, Releases.BATCH);

	private final Supplier<EtcdLink> links;

	private final EtcdLockSettings settings;

	private final LockClock clock;

	// Set by start and stop, which the engine orders; read by everybody else.
	private volatile @Nullable Operation operation;

	/**
	 * Create a backend over a client of the application, which is never closed here.
	 * @param client the client
	 * @param settings how it keeps its locks
	 * @param clock the clock of this JVM
	 */
	public EtcdLockBackend(Client client, EtcdLockSettings settings, LockClock clock) {
		this(settings, clock, () -> new JetcdLink(client));
	}

	/**
	 * Create a backend with a client of its own, made at each start and closed at each
	 * stop; another one takes its place where it gets no answers for a while, since it
	 * would take ever longer to connect again.
	 * @param clients makes the client; does not wait for a connection
	 * @param settings how it keeps its locks
	 * @param clock the clock of this JVM
	 */
	public EtcdLockBackend(Supplier<Client> clients, EtcdLockSettings settings, LockClock clock) {
		this(settings, clock, () -> new ReopenedLink(clients, clock));
	}

	EtcdLockBackend(EtcdLockSettings settings, LockClock clock, Supplier<EtcdLink> links) {
		this.links = links;
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
			this.operation = Operation.start(this.links.get(), this.settings, this.clock, losses);
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
			throw new NotSentException("The locks in etcd were stopped", null);
		}
		return current;
	}

	private <T> CompletionStage<T> operating(Function<Operation, CompletionStage<T>> call) {
		Operation current;
		try {
			current = operation();
		}
		catch (NotSentException ex) {
			return CompletableFuture.failedFuture(ex);
		}
		return call.apply(current)
			.exceptionallyCompose((fault) -> CompletableFuture.failedStage(EtcdFaults.explain(fault)));
	}

	@Override
	public Contender contend(LockTarget target, Runnable wakeUp) {
		if (target.keys().size() != 1 || target.mode() != LockMode.EXCLUSIVE) {
			throw new IllegalArgumentException("The store etcd grants one key at a time and only EXCLUSIVE, not "
					+ target.mode() + " of " + target.keys());
		}
		return new EtcdContender(target, wakeUp, this::operation, this.clock);
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

	@Override
	public CompletionStage<Boolean> forceRelease(String key) {
		return operating((current) -> current.inspection().forceRelease(key));
	}

}
