package io.distributedlock.observation;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.distributedlock.Lease;
import io.distributedlock.LockLimitException;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.TickMissedEvent;
import io.distributedlock.contract.DecoratedBackend;
import io.distributedlock.engine.CircuitSettings;
import io.distributedlock.engine.LimitSettings;
import io.distributedlock.engine.LockEngine;
import io.distributedlock.spi.LockBackend;
import io.distributedlock.spi.NodeStatus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link LockMeters}.
 */
class LockMetersTests {

	private static final int UNLIMITED = LimitSettings.UNLIMITED;

	private static final String[] ORDER = { "lock.store", "shop", "lock.name", "order", "lock.mode", "exclusive" };

	private final ObservedLocks locks = new ObservedLocks();

	private final MeterRegistry registry = new SimpleMeterRegistry();

	private LockEngine engine;

	private final LockMeters meters = new LockMeters(() -> ObservedLocks.engines(this.engine), new LockNameTags(2),
			this.locks.clock);

	private LockTemplate template;

	LockMetersTests() {
		use(LimitSettings.NONE, CircuitSettings.DISABLED);
	}

	private void use(LimitSettings limits, CircuitSettings circuit) {
		this.engine = this.locks.engine(this.meters, limits, circuit);
		this.template = ObservedLocks.template(this.engine);
	}

	/**
	 * Return the value of a gauge at a time at which it is computed anew.
	 */
	private double gauge(String name, String... tags) {
		this.locks.clock.advance(Duration.ofMillis(500));
		return this.registry.get("distributed.lock." + name).tags(tags).gauge().value();
	}

	private double counter(String name, String... tags) {
		return counter(this.registry, name, tags);
	}

	private static double counter(MeterRegistry registry, String name, String... tags) {
		return registry.get("distributed.lock." + name).tags(tags).counter().count();
	}

	private double lost(String reason) {
		return this.registry.get("distributed.lock.lost").tags(ORDER).tag("lock.reason", reason).counter().count();
	}

	@Test
	void leasesAreCountedWhileTheyAreHeld() {
		this.meters.bindTo(this.registry);

		Lease lease = this.template.acquire(ObservedLocks.REQUEST);
		Lease another = this.template.acquire(LockRequest.of("order:43").name("order"));
		Lease invoice = this.template.acquire(LockRequest.of("invoice:1").name("invoice"));

		assertThat(gauge("held", ORDER)).isEqualTo(2);
		assertThat(gauge("held", "lock.name", "invoice")).isEqualTo(1);
		lease.release();
		another.release();
		assertThat(gauge("held", ORDER)).isZero();
		assertThat(gauge("held", "lock.name", "invoice")).isEqualTo(1);
		invoice.release();
	}

	@Test
	void callsAreCountedWhileTheyWait() {
		this.meters.bindTo(this.registry);
		Lease elsewhere = this.locks.other.acquire(ObservedLocks.KEY);

		CompletableFuture<Lease> first = this.template.acquireAsync(ObservedLocks.REQUEST).toCompletableFuture();
		CompletableFuture<Lease> second = this.template.acquireAsync(ObservedLocks.REQUEST).toCompletableFuture();

		assertThat(gauge("waiting", ORDER)).isEqualTo(2);
		assertThat(gauge("held", ORDER)).isZero();
		second.cancel(true);
		assertThat(gauge("waiting", ORDER)).isEqualTo(1);
		elsewhere.release();
		first.join();
		assertThat(gauge("waiting", ORDER)).isZero();
		assertThat(gauge("held", ORDER)).isEqualTo(1);
	}

	@Test
	void gaugesOfOneScrapeShareALook() {
		this.meters.bindTo(this.registry);
		Lease lease = this.template.acquire(ObservedLocks.REQUEST);
		assertThat(gauge("held", ORDER)).isEqualTo(1);

		lease.release();

		assertThat(this.registry.get("distributed.lock.held").tags(ORDER).gauge().value()).isEqualTo(1);
		assertThat(gauge("held", ORDER)).isZero();
	}

	@Test
	void leaseIsOverdueAfterTwiceItsTtl() {
		this.meters.bindTo(this.registry);
		Lease lease = this.template.acquire(ObservedLocks.REQUEST.ttl(Duration.ofSeconds(10)));
		this.template.acquire(LockRequest.of("invoice:1").name("invoice"));

		this.locks.clock.advance(Duration.ofSeconds(19));
		assertThat(gauge("overdue", ORDER)).isZero();
		this.locks.clock.advance(Duration.ofSeconds(1));
		assertThat(gauge("overdue", ORDER)).isEqualTo(1);

		assertThat(gauge("overdue", "lock.name", "invoice")).isZero();
		lease.release();
		assertThat(gauge("overdue", ORDER)).isZero();
	}

	@Test
	void lostLeasesAreCountedByReason() {
		this.meters.bindTo(this.registry);

		this.template.acquire(ObservedLocks.REQUEST);
		this.locks.backend.expire(ObservedLocks.KEY);
		await().untilAsserted(() -> assertThat(lost("expired")).isEqualTo(1));

		this.template.acquire(ObservedLocks.REQUEST);
		this.locks.forceRelease();
		await().untilAsserted(() -> assertThat(lost("taken")).isEqualTo(1));

		this.template.acquire(ObservedLocks.REQUEST.maxHold(Duration.ofSeconds(1)));
		this.locks.clock.advance(Duration.ofSeconds(2));
		await().untilAsserted(() -> assertThat(lost("max-hold")).isEqualTo(1));

		this.template.acquire(ObservedLocks.REQUEST);
		this.engine.stop();
		await().untilAsserted(() -> assertThat(lost("stopped")).isEqualTo(1));
		assertThat(lost("expired")).isEqualTo(1);
	}

	@Test
	void counterOfALockIsThereBeforeTheFirstLoss() {
		this.meters.bindTo(this.registry);

		this.template.acquire(ObservedLocks.REQUEST).release();

		assertThat(List.of("expired", "taken", "max-hold", "stopped"))
			.allSatisfy((reason) -> assertThat(lost(reason)).isZero());
	}

	@Test
	void missedTicksAreCounted() {
		this.meters.bindTo(this.registry);

		this.meters.missed(new TickMissedEvent("shop", ObservedLocks.KEY, "order", Instant.EPOCH));
		this.meters.missed(new TickMissedEvent("shop", ObservedLocks.KEY, null, Instant.EPOCH));
		this.meters.missed(new TickMissedEvent("shop", ObservedLocks.KEY, null, Instant.EPOCH));

		assertThat(counter("missed.ticks", "lock.store", "shop", "lock.name", "order")).isEqualTo(1);
		assertThat(counter("missed.ticks", "lock.store", "shop", "lock.name", "none")).isEqualTo(2);
	}

	@Test
	void counterOfAScheduledLockIsThereBeforeTheFirstMissedTick() {
		this.meters.bindTo(this.registry);

		this.template.acquire(ObservedLocks.REQUEST.tick(Instant.EPOCH.plusSeconds(60))).release();
		this.template.acquire(ObservedLocks.REQUEST.name("unscheduled")).release();

		assertThat(counter("missed.ticks", "lock.name", "order")).isZero();
		assertThat(this.registry.find("distributed.lock.missed.ticks").tag("lock.name", "unscheduled").counter())
			.isNull();
	}

	@ParameterizedTest
	@ValueSource(strings = { "max-held", "max-held-per-name" })
	void callsThatALimitOfLeasesRefusesAreCounted(String limit) {
		use(limit.equals("max-held") ? new LimitSettings(1, UNLIMITED, UNLIMITED, UNLIMITED)
				: new LimitSettings(UNLIMITED, 1, UNLIMITED, UNLIMITED), CircuitSettings.DISABLED);
		this.meters.bindTo(this.registry);
		assertThat(counter("rejected", "lock.store", "shop", "lock.limit", limit)).isZero();
		this.template.acquire(ObservedLocks.REQUEST);

		assertThatThrownBy(() -> this.template.tryAcquire(LockRequest.of("order:43").name("order")))
			.isInstanceOf(LockLimitException.class);

		await().untilAsserted(
				() -> assertThat(counter("rejected", "lock.store", "shop", "lock.limit", limit)).isEqualTo(1));
	}

	@ParameterizedTest
	@ValueSource(strings = { "max-waiters", "max-waiters-per-name" })
	void callsThatALimitOfWaitersRefusesAreCounted(String limit) {
		use(limit.equals("max-waiters") ? new LimitSettings(UNLIMITED, UNLIMITED, 1, UNLIMITED)
				: new LimitSettings(UNLIMITED, UNLIMITED, UNLIMITED, 1), CircuitSettings.DISABLED);
		this.meters.bindTo(this.registry);
		this.locks.other.acquire(ObservedLocks.KEY);
		this.template.acquireAsync(ObservedLocks.REQUEST);

		assertThatThrownBy(() -> this.template.tryAcquire(ObservedLocks.REQUEST))
			.isInstanceOf(LockLimitException.class);

		await().untilAsserted(
				() -> assertThat(counter("rejected", "lock.store", "shop", "lock.limit", limit)).isEqualTo(1));
	}

	@Test
	void circuitIsShownWhileItIsNotClosed() {
		use(LimitSettings.NONE, new CircuitSettings(1, Duration.ZERO, Duration.ofSeconds(1), Duration.ofSeconds(4)));
		this.meters.bindTo(this.registry);
		assertThat(gauge("circuit.open", "lock.store", "shop")).isZero();

		this.locks.backend.setReachable(false);
		assertThatThrownBy(() -> this.template.tryAcquire(ObservedLocks.REQUEST))
			.isInstanceOf(LockUnavailableException.class);
		assertThat(gauge("circuit.open", "lock.store", "shop")).isEqualTo(1);

		this.locks.backend.setReachable(true);
		this.locks.clock.advance(Duration.ofSeconds(1));
		this.template.acquire(ObservedLocks.REQUEST).release();
		assertThat(gauge("circuit.open", "lock.store", "shop")).isZero();
	}

	@Test
	void nodesAppearWhenTheStoreIsConnected() {
		NodesBackend nodes = new NodesBackend(this.locks.backend);
		this.engine = this.locks.engine(nodes);
		this.meters.bindTo(this.registry);
		assertThat(this.registry.find("distributed.lock.node.quarantined").meters()).isEmpty();

		this.engine.start();
		this.meters.bindNodes();

		assertThat(gauge("node.quarantined", "lock.store", "shop", "lock.node", "a:1")).isZero();
		assertThat(gauge("node.quarantined", "lock.store", "shop", "lock.node", "b:2")).isEqualTo(1);
		nodes.second = NodeStatus.State.UP;
		assertThat(gauge("node.quarantined", "lock.node", "b:2")).isZero();
		nodes.second = NodeStatus.State.QUARANTINED;
		this.engine.stop();
		assertThat(gauge("node.quarantined", "lock.node", "b:2")).isZero();
	}

	@Test
	void nodesAppearWithTheFirstRequestToo() {
		this.engine = this.locks.engine(new NodesBackend(this.locks.backend));
		this.meters.bindTo(this.registry);

		this.engine.start();
		this.meters.seen("shop", ObservedLocks.REQUEST);

		assertThat(gauge("node.quarantined", "lock.node", "b:2")).isEqualTo(1);
	}

	@Test
	void registriesAreIndependentOfEachOther() {
		MeterRegistry late = new SimpleMeterRegistry();
		this.meters.bindTo(this.registry);
		Lease lease = this.template.acquire(ObservedLocks.REQUEST);

		this.meters.bindTo(late);
		this.locks.backend.expire(ObservedLocks.KEY);

		await().untilAsserted(() -> assertThat(lost("expired")).isEqualTo(1));
		await().untilAsserted(
				() -> assertThat(counter(late, "lost", "lock.name", "order", "lock.reason", "expired")).isEqualTo(1));
		assertThat(names(late)).containsExactlyElementsOf(names(this.registry));
		assertThat(lease.isHeld()).isFalse();
	}

	private static List<String> names(MeterRegistry registry) {
		return registry.getMeters().stream().map(Meter::getId).map(Meter.Id::toString).sorted().toList();
	}

	@Test
	void locksThatWereUsedBeforeTheBindingHaveMeters() {
		Lease lease = this.template.acquire(ObservedLocks.REQUEST);

		this.meters.bindTo(this.registry);

		assertThat(gauge("held", ORDER)).isEqualTo(1);
		lease.release();
	}

	@Test
	void namesBeyondTheBoundAreCountedTogether() {
		this.meters.bindTo(this.registry);
		for (String name : List.of("a", "b", "c", "d")) {
			this.template.acquire(LockRequest.of("key:" + name).name(name));
		}

		assertThat(gauge("held", "lock.name", "a")).isEqualTo(1);
		assertThat(gauge("held", "lock.name", "b")).isEqualTo(1);
		assertThat(gauge("held", "lock.name", "other")).isEqualTo(2);
		assertThat(this.registry.find("distributed.lock.held").gauges())
			.extracting((held) -> held.getId().getTag("lock.name"))
			.containsExactlyInAnyOrder("none", "a", "b", "other");
	}

	@Test
	void storesThatAreNotConfiguredHaveNoGauges() {
		this.meters.bindTo(this.registry);

		this.meters.seen("mars", ObservedLocks.REQUEST);

		assertThat(this.registry.find("distributed.lock.held").tag("lock.store", "mars").gauges()).isEmpty();
	}

	/**
	 * A store with two nodes, the second of which is in quarantine.
	 */
	private static final class NodesBackend extends DecoratedBackend {

		private volatile NodeStatus.State second = NodeStatus.State.QUARANTINED;

		NodesBackend(LockBackend delegate) {
			super(delegate);
		}

		@Override
		public List<NodeStatus> nodes() {
			return List.of(new NodeStatus("a:1", NodeStatus.State.UP, null),
					new NodeStatus("b:2", this.second, Duration.ofSeconds(9)));
		}

	}

}
