package io.distributedlock.observation;

import java.time.Duration;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;

import io.distributedlock.Lease;
import io.distributedlock.LockTemplate;
import io.distributedlock.LockUnavailableException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Tests for {@link MeteredStores}.
 */
class MeteredStoresTests {

	private final ObservedLocks locks = new ObservedLocks();

	private final MeteredStores stores = new MeteredStores(this.locks.clock);

	private final MeterRegistry registry = new SimpleMeterRegistry();

	private final LockTemplate template = ObservedLocks
		.template(this.locks.engine(this.stores.measure("shop", this.locks.backend)));

	private static long calls(MeterRegistry registry, String operation, String outcome) {
		return registry.get("distributed.lock.store.call")
			.tags("lock.store", "shop", "lock.operation", operation, "lock.outcome", outcome)
			.timer()
			.count();
	}

	private static double renewals(MeterRegistry registry, String outcome) {
		return registry.get("distributed.lock.renewal").tags("lock.outcome", outcome).counter().count();
	}

	@Test
	void acquisitionAndReleaseAreACallEach() {
		this.stores.bindTo(this.registry);

		this.template.acquire(ObservedLocks.REQUEST).release();

		assertThat(calls(this.registry, "acquire", "ok")).isEqualTo(1);
		assertThat(calls(this.registry, "release", "ok")).isEqualTo(1);
		assertThat(calls(this.registry, "acquire", "error")).isZero();
	}

	@Test
	void busyLockIsAnAnswer() {
		this.stores.bindTo(this.registry);
		this.locks.other.acquire(ObservedLocks.KEY);

		assertThat(this.template.tryAcquire(ObservedLocks.REQUEST)).isEmpty();

		assertThat(calls(this.registry, "acquire", "ok")).isEqualTo(1);
	}

	@Test
	void storeThatIsNotReachedIsAnError() {
		this.stores.bindTo(this.registry);
		this.locks.backend.setReachable(false);

		assertThatThrownBy(() -> this.template.tryAcquire(ObservedLocks.REQUEST))
			.isInstanceOf(LockUnavailableException.class);

		assertThat(calls(this.registry, "acquire", "error")).isPositive();
		assertThat(calls(this.registry, "acquire", "ok")).isZero();
	}

	@Test
	void renewalsAreCountedByOutcome() {
		this.stores.bindTo(this.registry);
		Lease lease = this.template.acquire(ObservedLocks.REQUEST.ttl(Duration.ofSeconds(30)));

		this.locks.clock.advance(Duration.ofSeconds(25));
		assertThat(renewals(this.registry, "ok")).isEqualTo(2);
		assertThat(calls(this.registry, "renew", "ok")).isEqualTo(2);
		assertThat(renewals(this.registry, "failed")).isZero();

		this.locks.backend.setReachable(false);
		this.locks.clock.advance(Duration.ofSeconds(8));
		assertThat(renewals(this.registry, "ok")).isEqualTo(2);
		assertThat(renewals(this.registry, "failed")).isPositive().isEqualTo(calls(this.registry, "renew", "error"));
		this.locks.backend.setReachable(true);
		lease.release();
	}

	@Test
	void everyRegistryCountsEveryCall() {
		MeterRegistry another = new SimpleMeterRegistry();
		this.stores.bindTo(this.registry);
		this.stores.bindTo(another);

		Lease lease = this.template.acquire(ObservedLocks.REQUEST);
		lease.verify();
		lease.release();

		assertThat(calls(this.registry, "acquire", "ok")).isEqualTo(1);
		assertThat(calls(another, "acquire", "ok")).isEqualTo(1);
		assertThat(renewals(this.registry, "ok")).isEqualTo(1);
		assertThat(renewals(another, "ok")).isEqualTo(1);
	}

	@Test
	void storeThatComesAfterTheRegistryIsMeasured() {
		MeteredStores late = new MeteredStores(this.locks.clock);
		late.bindTo(this.registry);

		ObservedLocks.template(this.locks.engine(late.measure("shop", this.locks.backend)))
			.acquire(ObservedLocks.REQUEST)
			.release();

		assertThat(calls(this.registry, "acquire", "ok")).isEqualTo(1);
	}

	@Test
	void callsBeforeTheBindingAreNotMeasured() {
		this.template.acquire(ObservedLocks.REQUEST).release();
		this.stores.bindTo(this.registry);

		assertThat(calls(this.registry, "acquire", "ok")).isZero();
	}

}
