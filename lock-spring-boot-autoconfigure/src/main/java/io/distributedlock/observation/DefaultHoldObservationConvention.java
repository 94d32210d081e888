package io.distributedlock.observation;

import io.micrometer.common.KeyValues;

/**
 * Default {@link HoldObservationConvention}.
 *
 * @since 0.1.0
 */
public class DefaultHoldObservationConvention implements HoldObservationConvention {

	private static final String NAME = "distributed.lock.hold";

	@Override
	public String getName() {
		return NAME;
	}

	@Override
	public String getContextualName(HoldObservationContext context) {
		return "hold lock " + context.getLockName();
	}

	@Override
	public KeyValues getLowCardinalityKeyValues(HoldObservationContext context) {
		return LockKeyValues.lowCardinality(context);
	}

	@Override
	public KeyValues getHighCardinalityKeyValues(HoldObservationContext context) {
		return LockKeyValues.highCardinality(context);
	}

}
