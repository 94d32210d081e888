package io.distributedlock.backend.redlock;

import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

import io.distributedlock.spi.BackendConnection;
import io.distributedlock.spi.BackendListener;
import io.distributedlock.spi.BackendTraits;
import io.distributedlock.spi.BackendTraits.LeaseKind;
import io.distributedlock.spi.LockBackend;
import io.distributedlock.spi.LockClock;

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

	private final RandomSource random;

	private final RedlockListener listener;

	/**
	 * Create a backend.
	 * @param source opens the ways to the nodes for each connection of the backend, in
	 * the order of the settings
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
	 * @param source opens the ways to the nodes for each connection of the backend, in
	 * the order of the settings
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
		return new BackendTraits(LeaseKind.PER_LOCK, true, false, false, true, SHORTEST_TTL, this.settings.maxTtl(),
				RENEWAL_BATCH);
	}

	@Override
	public BackendConnection connect(BackendListener listener) {
		return new RedlockStoreConnection(
				new NodeGroup(this.source.get(), this.settings, this.clock, this.random, this.listener), traits(),
				listener);
	}

}
