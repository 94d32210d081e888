package io.distributedlock.it.handover;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

import io.distributedlock.LockTemplate;
import io.distributedlock.Locks;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.engine.DefaultLocks;
import io.distributedlock.engine.DefaultScopes;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.engine.HandOverSettings;
import io.distributedlock.engine.LockEngine;
import io.distributedlock.engine.SystemLockClock;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LeaseRetention;

/**
 * An engine over a client of its own, like that of one JVM. The bounds of its hand-overs
 * are so large that they end no chain of hand-overs during a round.
 */
final class TestJvm implements AutoCloseable {

	private static final Duration TTL = Duration.ofSeconds(30);

	private static final Duration CALL_TIMEOUT = Duration.ofSeconds(5);

	private static final HandOverSettings HAND_OVER = new HandOverSettings(1023, Duration.ofSeconds(5));

	private final SystemLockClock clock = new SystemLockClock();

	private final CountedBackend backend;

	private final LockEngine engine;

	private final LockTemplate template;

	TestJvm(HandOverContract store, Consumer<LeaseGrant> onGrant) {
		this.backend = new CountedBackend(store.newClient(this.clock), onGrant);
		EngineSettings settings = new EngineSettings(TTL, Duration.ofSeconds(30), null, CALL_TIMEOUT,
				Duration.ofSeconds(5), HAND_OVER);
		this.engine = new LockEngine(this.backend, settings, this.clock, List.of(), List.of());
		this.template = new DefaultLockTemplate(this.engine, new DefaultScopes(this.engine, LeaseRetention.NONE));
	}

	CountedBackend backend() {
		return this.backend;
	}

	LockTemplate template() {
		return this.template;
	}

	Locks locks() {
		return new DefaultLocks(this.engine);
	}

	@Override
	public void close() {
		this.engine.stop();
		this.clock.close();
	}

}
