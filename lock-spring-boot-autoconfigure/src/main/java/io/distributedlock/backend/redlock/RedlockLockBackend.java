package io.distributedlock.backend.redlock;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;

import io.lettuce.core.SslOptions;
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
 * Keeps locks on a majority of N independent Redis nodes: the Redlock algorithm with
 * fencing tokens, and with nodes that do not vote while they may have forgotten a lock.
 * <p>
 * A lease stands while fewer than a majority of nodes fail, and while the clocks of nodes
 * and holders run equally fast within the drift allowance. Fencing tokens are proposed by
 * the client and acknowledged by a majority; they grow strictly per key whatever clocks
 * do, for as long as no more nodes than a minority forget their data within one
 * quarantine.
 *
 * @since 0.1.0
 */
public final class RedlockLockBackend implements LockBackend {

	/**
	 * The name of this backend.
	 */
	public static final String NAME = "redlock";

	private static final Duration SHORTEST_TTL = Duration.ofMillis(100);

	private static final int RENEWAL_BATCH = 100;

	private final Supplier<? extends List<? extends RedlockNode>> source;

	private final RedlockSettings settings;

	private final LockClock clock;

	private final Randoms randoms;

	private final RedlockListener listener;

	// Set by start and stop, which the engine orders; read by everybody else.
	private volatile @Nullable Operation operation;

	/**
	 * Create a backend.
	 * @param source opens the ways to the nodes at each start, in the order of the
	 * settings
	 * @param settings how it keeps its locks
	 * @param clock the clock of this JVM
	 * @param randoms what is left to chance
	 * @param listener is told of the nodes
	 */
	RedlockLockBackend(Supplier<? extends List<? extends RedlockNode>> source, RedlockSettings settings,
			LockClock clock, Randoms randoms, RedlockListener listener) {
		this.source = source;
		this.settings = settings;
		this.clock = clock;
		this.randoms = randoms;
		this.listener = listener;
	}

	/**
	 * Create a backend that reaches its nodes by Lettuce, which keeps threads and
	 * connections for it alone between start and stop.
	 * @param endpoints the nodes, in the order of the settings
	 * @param tls how nodes that ask for TLS are trusted, or {@code null} for the
	 * platform's way
	 * @param settings how it keeps its locks
	 * @param clock the clock of this JVM
	 * @param listener is told of the nodes, besides the log
	 * @return the backend
	 */
	public static RedlockLockBackend overLettuce(List<RedlockEndpoint> endpoints, @Nullable SslOptions tls,
			RedlockSettings settings, LockClock clock, RedlockListener listener) {
		if (!endpoints.stream().map(RedlockEndpoint::name).toList().equals(settings.nodes())) {
			throw new IllegalArgumentException(
					"The settings are those of the nodes " + settings.nodes() + ", not of " + endpoints);
		}
		LettuceNodes nodes = new LettuceNodes(endpoints, tls, settings.keyPrefix(), settings.callTimeout(), clock);
		return new RedlockLockBackend(nodes, settings, clock, Randoms.ofThreads(), new LoggedNews(listener));
	}

	@Override
	public String name() {
		return NAME;
	}

	@Override
	public BackendTraits traits() {
		return new BackendTraits(LeaseKind.PER_LOCK, true, false, false, true, false, SHORTEST_TTL,
				this.settings.maxTtl(), RENEWAL_BATCH);
	}

	@Override
	public synchronized void start(LossListener losses) {
		if (this.operation == null) {
			this.operation = Operation.start(this.source.get(), this.settings, this.clock, this.randoms, this.listener,
					losses);
		}
	}

	@Override
	public synchronized void stop() {
		Operation current = this.operation;
		this.operation = null;
		if (current != null) {
			current.stop();
		}
	}

	private Operation operation() {
		Operation current = this.operation;
		if (current == null) {
			throw new LockUnavailableException("The locks in Redis were stopped");
		}
		return current;
	}

	private <T> CompletionStage<T> operating(Function<Operation, CompletionStage<T>> call) {
		Operation current;
		try {
			current = operation();
		}
		catch (RuntimeException ex) {
			return CompletableFuture.failedStage(ex);
		}
		return current.nodes().ready(this.settings.callTimeout()).thenCompose((ready) -> call.apply(current));
	}

	@Override
	public Contender contend(LockTarget target, Runnable wakeUp) {
		if (target.keys().size() != 1 || target.mode() != LockMode.EXCLUSIVE) {
			throw new IllegalArgumentException("The nodes grant one key at a time and only EXCLUSIVE, not "
					+ target.mode() + " of " + target.keys());
		}
		return new RedlockContender(target, wakeUp, this::operation);
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
