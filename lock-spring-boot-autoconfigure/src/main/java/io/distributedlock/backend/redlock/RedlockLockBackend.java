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
 * Keeps locks on a majority of N independent Redis nodes. It uses the Redlock algorithm
 * with fencing tokens, and nodes do not vote while they may have forgotten a lock.
 * <p>
 * Readers and holders of permits are members of a group, which has the place of the
 * exclusive holder at each node. Nodes name the members to each other's attempts, because
 * their number at each node does not limit that of all holders.
 * <p>
 * A lease stands as long as fewer than a majority of nodes fail, and the clocks of nodes
 * and holders run equally fast within the drift allowance. Fencing tokens are proposed by
 * the client and acknowledged by a majority. They grow strictly for each key, as long as
 * at most a minority of nodes forgets its data within one quarantine. Clocks do not
 * change their order, unless nodes' clocks step back by half of the retention of tokens
 * or more.
 *
 * @since 0.1.0
 */
public final class RedlockLockBackend implements LockBackend {

	/**
	 * The name of this backend.
	 */
	public static final String NAME = "redlock";

	private static final Duration SHORTEST_TTL = Duration.ofMillis(100);

	/**
	 * The greatest number of permits. Each node names all other members to each attempt.
	 */
	static final int MOST_PERMITS = 1024;

	private static final int RENEWAL_BATCH = 100;

	private final Supplier<? extends List<? extends RedlockNode>> source;

	private final RedlockSettings settings;

	private final LockClock clock;

	private final RandomSource random;

	private final RedlockListener listener;

	/**
	 * Create a backend.
	 * @param source creates the nodes for each connection of the backend, in the order of
	 * the settings
	 * @param settings the settings of the backend
	 * @param clock the clock of this JVM
	 * @param listener receives what is found out about the nodes, which is also logged
	 */
	public RedlockLockBackend(Supplier<? extends List<? extends RedlockNode>> source, RedlockSettings settings,
			LockClock clock, RedlockListener listener) {
		this(source, settings, clock, RandomSource.ofThreads(), new LoggingRedlockListener(listener));
	}

	/**
	 * Create a backend.
	 * @param source creates the nodes for each connection of the backend, in the order of
	 * the settings
	 * @param settings the settings of the backend
	 * @param clock the clock of this JVM
	 * @param random provides random numbers
	 * @param listener receives what is found out about the nodes
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
		return new BackendTraits(LeaseKind.PER_LOCK, true, true, MOST_PERMITS, true, SHORTEST_TTL,
				this.settings.maxTtl(), RENEWAL_BATCH);
	}

	@Override
	public BackendConnection connect(BackendListener listener) {
		return new RedlockStoreConnection(
				new NodeGroup(this.source.get(), this.settings, this.clock, this.random, this.listener), traits(),
				listener);
	}

}
