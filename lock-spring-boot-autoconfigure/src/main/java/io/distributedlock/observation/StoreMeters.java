package io.distributedlock.observation;

import java.util.List;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import org.jspecify.annotations.Nullable;

import io.distributedlock.observation.LockObservationDocumentation.LowCardinalityKeyNames;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.RenewalOutcome;

/**
 * The meters of the calls to one store.
 */
final class StoreMeters implements MeterBinder {

	private static final String RENEWAL = "distributed.lock.renewal";

	private final String store;

	private final StoreCallTimers calls;

	private final FanOutCounter renewed = new FanOutCounter();

	private final FanOutCounter notRenewed = new FanOutCounter();

	/**
	 * Create meters, which measure from the first binding on.
	 * @param store the name of the store
	 * @param clock the source of time
	 */
	StoreMeters(String store, LockClock clock) {
		this.store = store;
		this.calls = new StoreCallTimers(store, clock);
	}

	@Override
	public void bindTo(MeterRegistry registry) {
		this.calls.bindTo(registry);
		this.renewed.add(renewals(registry, "ok"));
		this.notRenewed.add(renewals(registry, "failed"));
	}

	private Counter renewals(MeterRegistry registry, String outcome) {
		return Counter.builder(RENEWAL)
			.description("Renewals of leases")
			.tag(LowCardinalityKeyNames.STORE.asString(), this.store)
			.tag(LowCardinalityKeyNames.OUTCOME.asString(), outcome)
			.register(registry);
	}

	StoreCallTimers calls() {
		return this.calls;
	}

	/**
	 * Count the renewals of a call.
	 * @param renewals how many were sent
	 * @param outcomes their outcomes, or {@code null} if the call failed, so that these
	 * are unknown
	 */
	void count(int renewals, @Nullable List<RenewalOutcome> outcomes) {
		int succeeded = (outcomes != null)
				? (int) outcomes.stream().filter(RenewalOutcome.Renewed.class::isInstance).count() : 0;
		this.renewed.increment(succeeded);
		this.notRenewed.increment(renewals - succeeded);
	}

}
