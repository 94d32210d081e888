package io.distributedlock.autoconfigure;

import java.time.Duration;
import java.util.function.Supplier;

import org.springframework.context.SmartLifecycle;

import io.distributedlock.engine.LockEngines;

/**
 * Lets the shutdown wait for the holders of leases before the first engine is stopped.
 * Otherwise tasks of executors that end later would lose their leases.
 */
class LockHoldersLifecycle implements SmartLifecycle {

	private static final int PHASE = LockEngineLifecycle.PHASE + 1;

	private final LockEngines engines;

	private final Supplier<Duration> patience;

	private volatile boolean running;

	/**
	 * Create the lifecycle.
	 * @param engines the engines of all stores
	 * @param patience supplies the longest time to wait, when the application stops
	 */
	LockHoldersLifecycle(LockEngines engines, Supplier<Duration> patience) {
		this.engines = engines;
		this.patience = patience;
	}

	@Override
	public void start() {
		this.running = true;
	}

	@Override
	public void stop() {
		this.engines.awaitHolders(this.patience.get());
		this.running = false;
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	@Override
	public int getPhase() {
		return PHASE;
	}

}
