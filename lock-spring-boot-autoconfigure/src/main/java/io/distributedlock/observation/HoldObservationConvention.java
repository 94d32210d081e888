package io.distributedlock.observation;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;

/**
 * Chooses the name and the key values of the observations of holds. A bean of this type
 * replaces the {@link DefaultHoldObservationConvention default}.
 *
 * @since 0.1.0
 */
public interface HoldObservationConvention extends ObservationConvention<HoldObservationContext> {

	@Override
	default boolean supportsContext(Observation.Context context) {
		return context instanceof HoldObservationContext;
	}

}
