package io.distributedlock.backend.redlock;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

import io.lettuce.core.SslOptions;
import org.jspecify.annotations.Nullable;

import io.distributedlock.backend.redlock.lettuce.LettuceNodes;
import io.distributedlock.contract.RealTimeLockBackendContract;
import io.distributedlock.spi.LockBackend;
import io.distributedlock.spi.OwnerId;

/**
 * The contract of all stores, run on any nodes in real time.
 */
public abstract class RedlockLockBackendContract extends RealTimeLockBackendContract {

	/**
	 * Many clients begin at the same time on few processors.
	 */
	private static final Duration PATIENCE = Duration.ofSeconds(10);

	// A prefix for each test, so that tests may run side by side on the same nodes.
	private final String prefix = "lock:" + OwnerId.random().value().substring(0, 8) + ":" + getClass().getSimpleName()
			+ ":";

	// Tests with many clients create them from several threads.
	private final Map<LockBackend, AtomicBoolean> cutOffs = new ConcurrentHashMap<>();

	/**
	 * Return the addresses of the nodes.
	 */
	protected abstract List<RedlockEndpoint> endpoints();

	/**
	 * Return the trust settings of nodes with TLS.
	 */
	protected @Nullable SslOptions tls() {
		return null;
	}

	@Override
	protected LockBackend newClient() {
		AtomicBoolean cutOff = new AtomicBoolean();
		List<RedlockEndpoint> endpoints = endpoints();
		RedlockSettings settings = new RedlockSettings(endpoints.stream().map(RedlockEndpoint::name).toList(),
				Duration.ofSeconds(2), Duration.ofSeconds(60), false, Duration.ofHours(1), PATIENCE, "test@host:1",
				this.prefix);
		LettuceNodes nodes = new LettuceNodes(endpoints, tls(), this.prefix, PATIENCE, clock());
		LockBackend client = new RedlockLockBackend(
				() -> nodes.get().stream().map((node) -> new CutOffNode(node, cutOff::get)).toList(), settings, clock(),
				RandomSource.ofThreads(), RedlockListener.NONE);
		this.cutOffs.put(client, cutOff);
		return client;
	}

	@Override
	protected boolean canDistrustAnswers() {
		return true;
	}

	@Override
	protected boolean canSplitVotes() {
		return true;
	}

	@Override
	protected boolean tellsMembersOfWaiters() {
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
