package io.distributedlock.observation;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;

/**
 * Chooses the name and the key values of the observations of acquisitions. A bean of this
 * type replaces the {@link DefaultAcquireObservationConvention default}.
 *
 * @since 0.1.0
 */
public interface AcquireObservationConvention extends ObservationConvention<AcquireObservationContext> {

	@Override
	default boolean supportsContext(Observation.Context context) {
		return context instanceof AcquireObservationContext;
	}

}
