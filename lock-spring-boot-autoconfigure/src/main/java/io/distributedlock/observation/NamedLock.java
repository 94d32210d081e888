package io.distributedlock.observation;

import java.util.Locale;

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
				this.name, LowCardinalityKeyNames.MODE.asString(), tag(this.mode));
	}

	/**
	 * Return the value of a tag, such as {@code max-hold}.
	 */
	static String tag(Enum<?> value) {
		return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
	}

}
