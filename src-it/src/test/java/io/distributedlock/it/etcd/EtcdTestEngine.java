package io.distributedlock.it.etcd;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

import io.etcd.jetcd.Client;

import io.distributedlock.LockTemplate;
import io.distributedlock.Locks;
import io.distributedlock.backend.etcd.EtcdLockBackend;
import io.distributedlock.contract.DecoratedBackend;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.engine.DefaultLocks;
import io.distributedlock.engine.DefaultScopes;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.engine.HandOverSettings;
import io.distributedlock.engine.LockEngine;
import io.distributedlock.engine.SystemLockClock;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LeaseRetention;
import io.distributedlock.spi.LockBackend;
import io.distributedlock.spi.LockTarget;

/**
 * The engine of one JVM on etcd, which notifies the test when the store grants a lock.
 */
final class EtcdTestEngine implements AutoCloseable {

	private final SystemLockClock clock = new SystemLockClock();

	private final LockEngine engine;

	private final LockTemplate template;

	private final Locks locks;

	// Written by tests, read by the driver's threads.
	private volatile Runnable atGrant = () -> {
	};

	EtcdTestEngine(Client client, Duration sessionTtl) {
		LockBackend backend = new EtcdLockBackend(client, EtcdTestClient.settings(sessionTtl, Duration.ofSeconds(2)),
				this.clock);
		EngineSettings settings = new EngineSettings(Duration.ofSeconds(30), Duration.ofSeconds(60), null,
				Duration.ofSeconds(2), Duration.ofSeconds(5), HandOverSettings.DEFAULTS);
		this.engine = new LockEngine(new Telling(backend), settings, this.clock, List.of(), List.of());
		this.template = new DefaultLockTemplate(this.engine, new DefaultScopes(this.engine, LeaseRetention.NONE));
		this.locks = new DefaultLocks(this.engine);
	}

	LockTemplate template() {
		return this.template;
	}

	boolean forceRelease(String key) {
		return this.locks.forceRelease(key);
	}

	/**
	 * Run an action at the moment when the store has granted a lock, before the engine
	 * knows.
	 */
	void atGrant(Runnable action) {
		this.atGrant = action;
	}

	@Override
	public void close() {
		this.engine.stop();
		this.clock.close();
	}

	private final class Telling extends DecoratedBackend {

		Telling(LockBackend delegate) {
			super(delegate);
		}

		@Override
		protected CompletionStage<AttemptOutcome> attempt(LockTarget target, LeaseRequest request,
				Function<LeaseRequest, CompletionStage<AttemptOutcome>> attempt) {
			return attempt.apply(request).thenApply((outcome) -> {
				if (outcome instanceof AttemptOutcome.Granted) {
					EtcdTestEngine.this.atGrant.run();
				}
				return outcome;
			});
		}

	}

}
