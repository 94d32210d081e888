package io.distributedlock.observation;

import io.micrometer.common.KeyValues;

import io.distributedlock.Lease;
import io.distributedlock.LockKeys;
import io.distributedlock.observation.LockObservationDocumentation.HighCardinalityKeyNames;
import io.distributedlock.observation.LockObservationDocumentation.LowCardinalityKeyNames;

/**
 * Creates the key values of both default conventions.
 */
final class LockKeyValues {

	private LockKeyValues() {
	}

	/**
	 * Return the key values of tags. The outcome is absent at the start of an
	 * observation, because timers of observations under way would keep that value.
	 */
	static KeyValues lowCardinality(LockObservationContext context) {
		KeyValues values = KeyValues.of(LowCardinalityKeyNames.NAME.withValue(context.getLockName()),
				LowCardinalityKeyNames.STORE.withValue(context.getStore()),
				LowCardinalityKeyNames.MODE.withValue(TagValues.of(context.getRequest().getMode())));
		String outcome = context.getOutcome();
		return (outcome != null) ? values.and(LowCardinalityKeyNames.OUTCOME.withValue(outcome)) : values;
	}

	/**
	 * Return the key values of spans. A token is a text, because it may exceed the
	 * numbers that other languages represent exactly.
	 */
	static KeyValues highCardinality(LockObservationContext context) {
		KeyValues values = KeyValues.of(HighCardinalityKeyNames.KEY
			.withValue(LockKeys.printable(String.join(", ", context.getRequest().getKeys()))));
		Lease lease = context.getLease();
		// Several keys have a token each.
		return (lease != null && lease.keys().size() == 1)
				? values.and(HighCardinalityKeyNames.FENCING_TOKEN.withValue(Long.toString(lease.fencingToken())))
				: values;
	}

}
