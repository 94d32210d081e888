package io.distributedlock.backend.redlock;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

import org.awaitility.Awaitility;

import io.distributedlock.contract.LockBackendContract;
import io.distributedlock.engine.SystemLockClock;
import io.distributedlock.spi.LockBackend;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.OwnerId;

/**
 * The contract of all stores on any nodes, in real time.
 */
public abstract class RedlockLockBackendContract extends LockBackendContract {

	/**
	 * Many clients begin at the same time on few processors.
	 */
	private static final Duration PATIENCE = Duration.ofSeconds(10);

	private final SystemLockClock clock = new SystemLockClock();

	// A prefix for each test, so that tests may run side by side on the same nodes.
	private final String prefix = "lock:" + OwnerId.random().value().substring(0, 8) + ":" + getClass().getSimpleName()
			+ ":";

	// Crowds ask for clients from several threads.
	private final Map<LockBackend, AtomicBoolean> cutOffs = new ConcurrentHashMap<>();

	/**
	 * Return where the nodes are.
	 */
	protected abstract List<RedlockEndpoint> endpoints();

	@Override
	protected LockBackend newClient() {
		AtomicBoolean cutOff = new AtomicBoolean();
		List<RedlockEndpoint> endpoints = endpoints();
		RedlockSettings settings = new RedlockSettings(endpoints.stream().map(RedlockEndpoint::name).toList(),
				Duration.ofSeconds(2), Duration.ofSeconds(60), false, Duration.ofHours(1), PATIENCE, "test@host:1",
				this.prefix);
		LettuceNodes nodes = new LettuceNodes(endpoints, null, this.prefix, PATIENCE, this.clock);
		LockBackend client = new RedlockLockBackend(
				() -> nodes.get().stream().map((node) -> new CutOffNode(node, cutOff::get)).toList(), settings,
				this.clock, Randoms.ofThreads(), RedlockListener.NONE);
		this.cutOffs.put(client, cutOff);
		return client;
	}

	@Override
	protected LockClock clock() {
		return this.clock;
	}

	@Override
	protected void elapse(Duration duration) {
		long end = this.clock.nanoTime() + duration.toNanos();
		Awaitility.await()
			.pollDelay(Duration.ZERO)
			.pollInterval(Duration.ofMillis(1))
			.atMost(duration.plusSeconds(10))
			.until(() -> this.clock.nanoTime() - end >= 0);
	}

	@Override
	protected boolean canSplitVotes() {
		return true;
	}

	@Override
	protected boolean canCutOff() {
		return true;
	}

	@Override
	protected void cutOff(LockBackend client) {
		this.cutOffs.get(client).set(true);
	}

	@Override
	protected void restore(LockBackend client) {
		this.cutOffs.get(client).set(false);
	}

}
