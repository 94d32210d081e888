package io.distributedlock.observation;

import io.micrometer.common.KeyValues;

/**
 * Default {@link AcquireObservationConvention}.
 *
 * @since 0.1.0
 */
public class DefaultAcquireObservationConvention implements AcquireObservationConvention {

	private static final String NAME = "distributed.lock.acquire";

	@Override
	public String getName() {
		return NAME;
	}

	@Override
	public String getContextualName(AcquireObservationContext context) {
		return "acquire lock " + context.getLockName();
	}

	@Override
	public KeyValues getLowCardinalityKeyValues(AcquireObservationContext context) {
		return LockKeyValues.lowCardinality(context);
	}

	@Override
	public KeyValues getHighCardinalityKeyValues(AcquireObservationContext context) {
		return LockKeyValues.highCardinality(context);
	}

}
