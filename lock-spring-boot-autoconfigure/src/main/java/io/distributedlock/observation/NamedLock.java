package io.distributedlock.observation;

import io.micrometer.core.instrument.Tags;

import io.distributedlock.LockMode;
import io.distributedlock.observation.LockObservationDocumentation.LowCardinalityKeyNames;

/**
 * Identifies the meters of a lock.
 *
 * @param store the name of the store
 * @param name the name in tags
 * @param mode the mode
 */
record NamedLock(String store, String name, LockMode mode) {

	Tags tags() {
		return Tags.of(LowCardinalityKeyNames.STORE.asString(), this.store, LowCardinalityKeyNames.NAME.asString(),
				this.name, LowCardinalityKeyNames.MODE.asString(), TagValues.of(this.mode));
	}

}
