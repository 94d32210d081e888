package io.distributedlock.autoconfigure;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

import io.distributedlock.engine.LimitSettings;

/**
 * Limits of one instance of the application, at all its stores. Only the number of keys
 * is limited by default.
 *
 * @param maxHeld Greatest number of leases that are held at the same time.
 * @param maxHeldPerName Greatest number of leases of locks with the same name.
 * @param maxWaiters Greatest number of calls that wait for a lock or its store.
 * @param maxWaitersPerName Greatest number of calls that wait for locks with the same
 * name.
 * @param maxKeys Greatest number of keys of one request.
 */
@ConfigurationProperties("lock.limits")
record LockLimitsProperties(@Nullable Integer maxHeld, @Nullable Integer maxHeldPerName, @Nullable Integer maxWaiters,
		@Nullable Integer maxWaitersPerName, @DefaultValue("100") int maxKeys) {

	LimitSettings toSettings() {
		return new LimitSettings(limit("max-held", this.maxHeld), limit("max-held-per-name", this.maxHeldPerName),
				limit("max-waiters", this.maxWaiters), limit("max-waiters-per-name", this.maxWaitersPerName),
				atLeastOne("max-keys", this.maxKeys));
	}

	private static int limit(String name, @Nullable Integer value) {
		return (value != null) ? atLeastOne(name, value) : LimitSettings.UNLIMITED;
	}

	private static int atLeastOne(String name, int value) {
		if (value < 1) {
			throw new InvalidConfigurationPropertyValueException("lock.limits." + name, value,
					"It must be at least 1; leave it out for the default.");
		}
		return value;
	}

}
