package io.distributedlock.backend.redlock;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;

import io.distributedlock.LockUnavailableException;
import io.distributedlock.backend.OperatedBackend;
import io.distributedlock.spi.BackendListener;
import io.distributedlock.spi.BackendTraits;
import io.distributedlock.spi.BackendTraits.LeaseKind;
import io.distributedlock.spi.Contender;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.LockTarget;

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
public final class RedlockLockBackend extends OperatedBackend<Operation> {

	/**
	 * The name of this backend.
	 */
	public static final String NAME = "redlock";

	private static final Duration SHORTEST_TTL = Duration.ofMillis(100);

	private static final int RENEWAL_BATCH = 100;

	private final Supplier<? extends List<? extends RedlockNode>> source;

	private final RedlockSettings settings;

	private final LockClock clock;

	private final RandomSource random;

	private final RedlockListener listener;

	/**
	 * Create a backend.
	 * @param source opens the ways to the nodes at each start, in the order of the
	 * settings; they are this backend's alone between start and stop
	 * @param settings how it keeps its locks
	 * @param clock the clock of this JVM
	 * @param listener is told of the nodes, besides the log
	 */
	public RedlockLockBackend(Supplier<? extends List<? extends RedlockNode>> source, RedlockSettings settings,
			LockClock clock, RedlockListener listener) {
		this(source, settings, clock, RandomSource.ofThreads(), new LoggingRedlockListener(listener));
	}

	/**
	 * Create a backend.
	 * @param source opens the ways to the nodes at each start, in the order of the
	 * settings
	 * @param settings how it keeps its locks
	 * @param clock the clock of this JVM
	 * @param random what is left to chance
	 * @param listener is told of the nodes
	 */
	RedlockLockBackend(Supplier<? extends List<? extends RedlockNode>> source, RedlockSettings settings,
			LockClock clock, RandomSource random, RedlockListener listener) {
		this.source = source;
		this.settings = settings;
		this.clock = clock;
		this.random = random;
		this.listener = listener;
	}

	@Override
	public String name() {
		return NAME;
	}

	@Override
	public String address() {
		return String.join(", ", this.settings.nodes());
	}

	@Override
	public BackendTraits traits() {
		return new BackendTraits(LeaseKind.PER_LOCK, true, false, false, true, false, SHORTEST_TTL,
				this.settings.maxTtl(), RENEWAL_BATCH);
	}

	@Override
	protected Operation open(BackendListener losses) {
		return Operation.start(this.source.get(), this.settings, this.clock, this.random, this.listener, losses);
	}

	@Override
	protected void close(Operation operation) {
		operation.stop();
	}

	@Override
	protected LockUnavailableException stopped() {
		return new LockUnavailableException("The locks in Redis were stopped");
	}

	@Override
	protected <T> CompletionStage<T> call(Operation operation, Function<Operation, CompletionStage<T>> call) {
		// The call itself needs some of its time.
		return operation.nodes()
			.ready(this.settings.callTimeout().dividedBy(2))
			.thenCompose((ready) -> super.call(operation, call));
	}

	@Override
	public CompletionStage<Boolean> wakesContenders(LockTarget target) {
		try {
			return call(operation(), (current) -> current.notifications().wakeWaiters());
		}
		catch (LockUnavailableException ex) {
			return CompletableFuture.failedStage(ex);
		}
	}

	@Override
	public Contender contend(LockTarget target, Runnable wakeUp) {
		target.requireOneExclusiveKey(name());
		return new RedlockContender(target, wakeUp, this::operation);
	}

}
