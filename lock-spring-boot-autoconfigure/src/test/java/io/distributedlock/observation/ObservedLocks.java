package io.distributedlock.observation;

import java.time.Duration;
import java.util.List;

import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.backend.local.LocalLockBackend;
import io.distributedlock.backend.local.LocalStore;
import io.distributedlock.contract.VirtualLockClock;
import io.distributedlock.engine.CircuitSettings;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.engine.DefaultScopes;
import io.distributedlock.engine.EngineInstruments;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.engine.LimitSettings;
import io.distributedlock.engine.LockEngine;
import io.distributedlock.engine.LockEngines;
import io.distributedlock.engine.LockLimits;
import io.distributedlock.spi.BackendConnection;
import io.distributedlock.spi.LeaseRetention;
import io.distributedlock.spi.LockBackend;
import io.distributedlock.spi.LockListener;
import io.distributedlock.spi.LockObserver;
import io.distributedlock.spi.StoreListener;

/**
 * An observed engine on a local store, another engine on the same store, and a clock that
 * only the test moves.
 */
final class ObservedLocks {

	static final String STORE = "shop";

	static final String KEY = "order:42";

	static final LockRequest REQUEST = LockRequest.of(KEY).name("order");

	final VirtualLockClock clock = new VirtualLockClock();

	private final LocalStore store = new LocalStore(this.clock);

	final LocalLockBackend backend = new LocalLockBackend(this.store, "first", this.clock);

	private final BackendConnection operator = new LocalLockBackend(this.store, "operator", this.clock)
		.connect((ownerId) -> {
		});

	final LockTemplate other = template(
			engine("other", new LocalLockBackend(this.store, "second", this.clock), EngineInstruments.NONE, List.of()));

	/**
	 * Create an observed engine without limits.
	 */
	LockEngine engine(LockObserver observer) {
		return engine(STORE, this.backend, new EngineInstruments(observer, new LockLimits(LimitSettings.NONE),
				CircuitSettings.DISABLED, List.of()), List.of());
	}

	/**
	 * Create an engine whose meters are complete.
	 */
	LockEngine engine(LockMeters meters, LimitSettings limits, CircuitSettings circuit) {
		LockObserver observer = (store, request) -> {
			meters.seen(store, request);
			return LockObserver.Acquisition.NONE;
		};
		return engine(STORE, this.backend,
				new EngineInstruments(observer, new LockLimits(limits), circuit, List.<StoreListener>of(meters)),
				List.of(meters));
	}

	LockEngine engine(LockBackend decorated) {
		return engine(STORE, decorated, EngineInstruments.NONE, List.of());
	}

	private LockEngine engine(String name, LockBackend backend, EngineInstruments instruments,
			List<LockListener> listeners) {
		return new LockEngine(name, backend, EngineSettings.DEFAULTS, this.clock, listeners, List.of(), instruments);
	}

	static LockTemplate template(LockEngine engine) {
		return new DefaultLockTemplate(engine, new DefaultScopes(engine, LeaseRetention.NONE));
	}

	static LockEngines engines(LockEngine engine) {
		return new LockEngines(engine, List.of());
	}

	void forceRelease() {
		this.operator.forceRelease(KEY, Duration.ZERO).toCompletableFuture().join();
	}

}
