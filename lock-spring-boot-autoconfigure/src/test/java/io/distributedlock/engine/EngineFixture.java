package io.distributedlock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

import io.distributedlock.Lease;
import io.distributedlock.LockInfo;
import io.distributedlock.LockRequest;
import io.distributedlock.LossReason;
import io.distributedlock.backend.local.LocalLockBackend;
import io.distributedlock.backend.local.LocalStore;
import io.distributedlock.contract.ListedLocks;
import io.distributedlock.contract.VirtualLockClock;
import io.distributedlock.spi.BackendConnection;
import io.distributedlock.spi.LeaseRetention;
import io.distributedlock.spi.LockListener;

import static org.awaitility.Awaitility.await;

/**
 * An engine on the local store behind a controlled network, a second engine on the same
 * store, and a clock that only the test moves.
 */
final class EngineFixture {

	static final String KEY = "order:42";

	final VirtualLockClock clock = new VirtualLockClock();

	final HookedClock engineClock = new HookedClock(this.clock);

	final LocalStore store = new LocalStore(this.clock);

	private final BackendConnection operator = new LocalLockBackend(this.store, "operator", this.clock)
		.connect((ownerId) -> {
		});

	final ControlledBackend backend = new ControlledBackend(new LocalLockBackend(this.store, "first", this.clock));

	private final List<String> news = Collections.synchronizedList(new ArrayList<>());

	final LockEngine engine;

	final DefaultScopes scopes;

	final DefaultLockTemplate template;

	final DefaultLockTemplate other;

	EngineFixture() {
		this(HandOverSettings.DEFAULTS);
	}

	EngineFixture(HandOverSettings handOver) {
		this(handOver, EngineInstruments.NONE);
	}

	EngineFixture(EngineInstruments instruments) {
		this(HandOverSettings.DEFAULTS, instruments);
	}

	private EngineFixture(HandOverSettings handOver, EngineInstruments instruments) {
		EngineSettings defaults = EngineSettings.DEFAULTS;
		EngineSettings settings = new EngineSettings(defaults.ttl(), defaults.waitTime(), null, defaults.callTimeout(),
				defaults.stopTimeout(), handOver);
		this.engine = new LockEngine(this.backend.name(), this.backend, settings, this.engineClock,
				List.of(new Newspaper()), List.of(), instruments);
		this.scopes = new DefaultScopes(this.engine, LeaseRetention.NONE);
		this.template = new DefaultLockTemplate(this.engine, this.scopes);
		LockEngine second = new LockEngine(new LocalLockBackend(this.store, "second", this.clock), settings, this.clock,
				List.of(), List.of());
		this.other = new DefaultLockTemplate(second, new DefaultScopes(second, LeaseRetention.NONE));
	}

	/**
	 * Return a template with its own engine on the same controlled network, and with a
	 * listener of the test.
	 */
	DefaultLockTemplate template(LockListener listener) {
		LockEngine heard = new LockEngine(this.backend, this.engine.settings(), this.clock, List.of(listener),
				List.of());
		return new DefaultLockTemplate(heard, new DefaultScopes(heard, LeaseRetention.NONE));
	}

	Optional<LockInfo> inStore() {
		return inStore(KEY);
	}

	Optional<LockInfo> inStore(String key) {
		return this.operator.find(key).toCompletableFuture().join();
	}

	int locksInStore() {
		return ListedLocks.all(this.operator).toCompletableFuture().join().size();
	}

	void forceRelease() {
		forceRelease(KEY);
	}

	void forceRelease(String key) {
		this.operator.forceRelease(key, Duration.ZERO);
	}

	/**
	 * Return the events of the listeners, once they have received all of them.
	 */
	List<String> news() {
		await().until(this.engine::areListenersIdle);
		return this.news;
	}

	void advance(Duration duration) {
		this.clock.advance(duration);
	}

	private final class Newspaper implements LockListener {

		@Override
		public void acquired(String backend, LockRequest request, Lease lease, Duration waited) {
			EngineFixture.this.news.add("acquired");
		}

		@Override
		public void busy(String backend, LockRequest request, Duration waited) {
			EngineFixture.this.news.add("busy");
		}

		@Override
		public void unavailable(String backend, LockRequest request, Throwable cause, Duration waited) {
			EngineFixture.this.news.add("unavailable " + cause.getClass().getSimpleName());
		}

		@Override
		public void handedOver(String backend, LockRequest request, Lease lease, Duration waited) {
			EngineFixture.this.news.add("handedOver");
		}

		@Override
		public void released(String backend, LockRequest request, Lease lease, Duration heldFor) {
			EngineFixture.this.news.add("released");
		}

		@Override
		public void lost(String backend, LockRequest request, Lease lease, LossReason reason, Duration heldFor) {
			EngineFixture.this.news.add("lost " + reason);
		}

	}

}
